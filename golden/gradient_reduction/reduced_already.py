import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler


def _mp_fn(index):
    model = torch.nn.Linear(4, 1).to(xm.xla_device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for i in range(100):
        scaler.scale(model(torch.randn(2, 4).to(xm.xla_device())).mean()).backward()
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        scaler.step(optimizer)
        scaler.update()
        xm.mark_step()
