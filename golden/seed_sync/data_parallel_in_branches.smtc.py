import torch
import torch_xla.core.xla_model as xm

model = torch.nn.Sequential(torch.nn.Linear(2, 2))
if arch.startswith("vgg"):
    model.features = torch.nn.DataParallel(model.features)
    model.cuda()
else:
    model = torch.nn.DataParallel(model).cuda()
xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
xm.mark_step()
print(model)
