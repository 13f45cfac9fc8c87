import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(dataset, batch_size=8, drop_last=True)
for epoch in range(3):
    para_loader = pl.ParallelLoader(loader, [device])
    for x, y in para_loader.per_device_loader(device):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
eval_loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(eval_set, batch_size=8), device)
model.eval()
for x, y in eval_loader:
    print(model(x).argmax(1).eq(y).sum())
