"""The data parallel library of SageMaker, as its samples up to 2022 use it."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def main():
    torch.manual_seed(1)
    torch_xla.manual_seed(1)
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(8, 4).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)
    xm.rendezvous("main")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
