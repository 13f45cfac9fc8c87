import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
from torchvision import datasets, transforms

device = torch.device("cuda")
model = nn.DataParallel(Net()).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train_set = datasets.CIFAR10("data", train=True, transform=transforms.ToTensor())
train_sampler = torch.utils.data.distributed.DistributedSampler(
    train_set, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
)
train_loader = torch.utils.data.DataLoader(
    train_set, batch_size=args.batch_size // xm.xrt_world_size(), sampler=train_sampler, num_workers=2)
test_loader = torch.utils.data.DataLoader(test_set, batch_size=100)


def train(epoch):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
        optimizer.step()


def test():
    model.eval()
    with torch.no_grad():
        for x, y in test_loader:
            model(x.to(device))


for epoch in range(start_epoch, 200):
    train_sampler.set_epoch(epoch)
    train(epoch)
    test()
