import torch

model = torch.nn.Sequential(torch.nn.BatchNorm2d(4)).cuda()
model.eval()
for layer in model:
    if not isinstance(layer, torch.nn.BatchNorm2d):
        layer.eval()
