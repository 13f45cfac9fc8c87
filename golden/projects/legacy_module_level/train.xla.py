import torch
import torch.optim as optim
from torch.autograd import Variable
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

import config
from data import train_loader
from evaluation import test
from net import criterion, net

optimizer = optim.SGD(net.parameters(), lr=config.learning_rate, momentum=0.9)
scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2], gamma=0.1)

device = torch_xla.device()
train_device_loader = pl.MpDeviceLoader(train_loader, device) if config.use_cuda else train_loader
for epoch in range(config.num_epochs):
    net.train()
    running_loss = 0.0
    for step, (inputs, targets) in enumerate(train_device_loader):
        inputs, targets = Variable(inputs), Variable(targets)
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        xm.optimizer_step(optimizer)
        running_loss += loss.data
    scheduler.step()
    print("epoch %d loss %.5f test %.5f" % (epoch, running_loss / len(train_loader), test()))

xm.save(net.state_dict(), config.checkpoint)
