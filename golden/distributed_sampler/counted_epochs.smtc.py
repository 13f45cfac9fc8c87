import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm


def train(dataset, epochs, make):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(dataset, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler)
    epoch = 0
    while True:
        train_sampler.set_epoch(epoch)
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        epoch = epoch + 1
        if epoch == epochs:
            break
    for round_ in range(epochs):
        train_sampler.set_epoch(round_)
        if round_ % 2 == 0:
            dataset = make(round_)
            train_sampler = torch.utils.data.distributed.DistributedSampler(
                dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
            )
            train_sampler.set_epoch(round_)
            loader = DataLoader(dataset, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler)
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()


def inline(dataset, epochs):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
        )
        train_sampler.set_epoch(epoch)
        for x, y in DataLoader(dataset, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler):
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()


def uncounted(dataset, done):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(dataset, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler)
    while not done():
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
