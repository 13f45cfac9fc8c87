import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
from tasks import Tasks
from meta import Net


def main():
    device = xm.xla_device()
    net = Net().to(device)
    db = DataLoader(Tasks(), 4, shuffle=True)
    for step in range(1000):
        try:
            batch = next(iter(db))
        except StopIteration:
            db = DataLoader(Tasks(), 4, shuffle=True)
            batch = next(iter(db))
        print(net(batch[0].to(device)))
        xm.mark_step()


main()
