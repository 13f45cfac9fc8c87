import torch
from torch.autograd import Variable
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = xm.xla_device()
train_loader = torch.utils.data.DataLoader(train_set, batch_size=64, shuffle=True)
train_device_loader = pl.MpDeviceLoader(train_loader, device) if args.cuda else train_loader
model = torch.nn.Linear(784, 10)
if args.cuda:
    model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train(epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_device_loader):
        data, target = Variable(data), Variable(target)
        optimizer.zero_grad()
        loss = torch.nn.functional.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        print(epoch, batch_idx * len(data), len(train_loader.dataset))


for epoch in range(10):
    train(epoch)
