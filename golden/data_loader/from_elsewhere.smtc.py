import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from data import get_loaders
from models import get_network

net = get_network("resnet18").cuda()
device = xm.xla_device()
train_loader, test_loader = get_loaders(128)
train_loader = pl.MpDeviceLoader(train_loader, device)
test_device_loader = pl.MpDeviceLoader(test_loader, device)
loss_function = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def train(epoch):
    net.train()
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss_function(net(images), labels).backward()
        optimizer.step()


@torch.no_grad()
def evaluate():
    net.eval()
    correct = 0
    for images, labels in test_device_loader:
        correct += net(images).argmax(1).eq(labels).sum()
    print(correct.float() / len(test_loader.dataset))


for epoch in range(200):
    train(epoch)
    evaluate()
