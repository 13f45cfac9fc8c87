"""`.to(f"cuda:{rank}")` in a comprehension, `.to(device=, dtype=, memory_format=)`, a positional number."""
import torch
import torch.multiprocessing as mp
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def train(rank, epochs):
    torch.cuda.set_device(rank)
    model = nn.Conv2d(3, 4, 3).to(device=f"cuda:{rank}", memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(32, 3, 8, 8), torch.randn(32, 4, 6, 6))
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for _ in range(epochs):
        for batch in loader:
            images, targets = [t.to(f"cuda:{rank}") for t in batch]
            images = images.to(device=rank, dtype=torch.float32, memory_format=torch.channels_last)
            optimizer.zero_grad()
            loss = (model(images) - targets).pow(2).mean()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    mp.spawn(train, (2,), torch.cuda.device_count())
