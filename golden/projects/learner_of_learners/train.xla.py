import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.distributed.parallel_loader as pl

from learner import Teacher


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    teacher = Teacher([("linear", [16, 8]), ("relu", []), ("linear", [4, 16])]).to(device)
    tasks = TensorDataset(torch.randn(32, 5, 8), torch.randint(0, 4, (32, 5)))
    for epoch in range(2):
        loader = DataLoader(tasks, batch_size=4, drop_last=True)
        loader = pl.MpDeviceLoader(loader, device)
        for x, y in loader:
            loss = teacher(x, y)
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
