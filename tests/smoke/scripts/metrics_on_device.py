"""Top-k accuracies, a confusion matrix and a running mean, all kept on the device."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(nn.Linear(7, 9), nn.SiLU(), nn.Linear(9, 6)).to(device)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
data = torch.utils.data.TensorDataset(torch.randn(32, 7), torch.randint(0, 6, (32,)))
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=8), device)
confusion = torch.zeros(6, 6, device=device)


def accuracy(output, target, ks=(1, 3)):
    _, found = output.topk(max(ks), 1, True, True)
    correct = found.t().eq(target.view(1, -1).expand_as(found.t()))
    return [correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)) for k in ks]


for epoch in range(2):
    top1, top3 = torch.zeros(1, device=device), torch.zeros(1, device=device)
    for inputs, labels in loader:
        output = model(inputs)
        loss = nn.functional.cross_entropy(output, labels)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
        with torch.no_grad():
            first, third = accuracy(output, labels)
            top1 += first
            top3 += third
            rows = nn.functional.one_hot(labels, 6).float()
            columns = nn.functional.one_hot(output.argmax(1), 6).float()
            confusion += rows.t() @ columns
    print(epoch, top1.item() / len(loader), top3.item() / len(loader))
print(confusion.diag().sum().item())
