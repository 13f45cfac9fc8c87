import torch
import torch.nn.functional as F
from torch.utils.data import TensorDataset

from loader import create_loader


def train_one_epoch(model, loader, optimizer, args, device=torch.device("cuda")):
    for input, target in loader:
        if not args.prefetcher:
            input, target = input.to(device), target.to(device)
        loss = F.cross_entropy(model(input), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if device.type == "cuda":
            torch.cuda.synchronize()


class Args:
    prefetcher = True


def main():
    torch.manual_seed(0)
    args = Args()
    device = torch.device("cuda")
    dataset = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    loader = create_loader(dataset, 8, args.prefetcher, device)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        train_one_epoch(model, loader, optimizer, args, device)
    print(len(loader))


if __name__ == "__main__":
    main()
