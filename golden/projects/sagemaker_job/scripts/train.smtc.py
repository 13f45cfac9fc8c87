import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from options import read_options


def _mp_fn(index):
    options = read_options()
    device = xm.xla_device()
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr)
    dataset = torch.utils.data.TensorDataset(torch.randn(64, 4))
    loader = torch.utils.data.DataLoader(dataset, batch_size=options.batch_size, drop_last=True)
    for (x,) in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(x).sum().backward()
        xm.optimizer_step(optimizer)
        xm.mark_step()
