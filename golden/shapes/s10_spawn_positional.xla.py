"""Everything by position."""
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm


def run(rank, config):
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = nn.Linear(2, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), config["lr"])
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(2, 2).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


if __name__ == "__main__":
    config = {"n": torch.cuda.device_count(), "lr": 0.1}
    torch_xla.launch(run, args=(config,))
