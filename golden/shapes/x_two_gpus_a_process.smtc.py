import torch
import torch_xla.core.xla_model as xm


class Halves(torch.nn.Module):
    def __init__(self, dev0, dev1):
        super().__init__()
        self.dev0 = dev0
        self.dev1 = dev1
        device = xm.xla_device()
        self.first = torch.nn.Linear(10, 10).to(device)
        self.second = torch.nn.Linear(10, 5).to(device)

    def forward(self, x):
        device = xm.xla_device()
        x = x.to(device)
        x = torch.relu(self.first(x))
        x = x.to(device)
        return self.second(x)


def demo(rank):
    dev0 = rank * 2
    dev1 = rank * 2 + 1
    model = Halves(dev0, dev1)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    device = xm.xla_device()
    labels = torch.randn(20, 5).to(device)
    torch.nn.functional.mse_loss(model(torch.randn(20, 10).to(device)), labels).backward()
    xm.optimizer_step(optimizer, barrier=True)


def main():
    demo(xm.get_ordinal())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
