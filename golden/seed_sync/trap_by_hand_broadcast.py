import torch
import torch_xla.core.xla_model as xm


def _mp_fn(index):
    model = torch.nn.Linear(4, 2).to(xm.xla_device())
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        model(x).sum().backward()
        xm.optimizer_step(optimizer)
