import torch
import torch.nn.functional as F
from torch.utils.data import TensorDataset
import torch_xla.core.xla_model as xm

from loader import create_loader


def train_one_epoch(model, loader, optimizer, args, device=torch.device("xla")):
    for input, target in loader:
        if not args.prefetcher:
            input, target = input.to(device), target.to(device)
        loss = F.cross_entropy(model(input), target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        if device.type == "xla":
            xm.mark_step()
            xm.wait_device_ops()


class Args:
    prefetcher = True


def main():
    torch.manual_seed(0)
    xm.set_rng_state(0)
    args = Args()
    device = xm.xla_device()
    dataset = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    loader = create_loader(dataset, 8, args.prefetcher, device)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        train_one_epoch(model, loader, optimizer, args, device)
    print(len(loader))


if __name__ == "__main__":
    main()
