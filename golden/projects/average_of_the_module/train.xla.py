import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.runtime as xr

from engine import train_epoch
from net import Net, make_data


def main():
    torch.manual_seed(7)
    torch_xla.manual_seed(7)
    device = torch_xla.device()
    train_dataset = make_data()
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    loader = DataLoader(train_dataset, batch_size=8 // xr.world_size(), sampler=train_sampler, drop_last=True)
    model = Net(8)
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    average = {name: value.clone() for name, value in model.state_dict().items()}
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        train_epoch(device, loader, model, optimizer, average)
    print(f"{sum(value.abs().sum() for value in average.values()).item():.4f}")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
