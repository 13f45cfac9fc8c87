import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 2))
if arch.startswith("vgg"):
    model.features = torch.nn.DataParallel(model.features)
    model.cuda()
else:
    model = torch.nn.DataParallel(model).cuda()
print(model)
