import torch
import torchvision

p = torch.nn.Parameter(torch.empty(4, 4))
optimizer = torch.optim.Adam([p], lr=1e-3)
print(optimizer)

backbone = torchvision.models.resnet34()
backbone = backbone.to("cuda")
for p in backbone.parameters():
    p.requires_grad = False
