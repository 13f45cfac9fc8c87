import torch
import torch_xla.core.xla_model as xm


def _mp_fn(index):
    torch.manual_seed(7)
    model = torch.nn.Linear(4, 2).to(xm.xla_device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        model(x).sum().backward()
        xm.optimizer_step(optimizer)
