"""Makes what the engine trains."""
import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm

from engine import Engine


def main():
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 2))
    loader = DataLoader(data, batch_size=8, drop_last=True)
    Engine(model, optimizer).run(loader, 2)


if __name__ == "__main__":
    main()
