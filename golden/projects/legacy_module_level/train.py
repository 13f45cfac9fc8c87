import torch
import torch.optim as optim
from torch.autograd import Variable

import config
from data import train_loader
from evaluation import test
from net import criterion, net

optimizer = optim.SGD(net.parameters(), lr=config.learning_rate, momentum=0.9)
scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2], gamma=0.1)

for epoch in range(config.num_epochs):
    net.train()
    running_loss = 0.0
    for step, (inputs, targets) in enumerate(train_loader):
        if config.use_cuda:
            inputs, targets = inputs.cuda(), targets.cuda()
        inputs, targets = Variable(inputs), Variable(targets)
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        running_loss += loss.data
    scheduler.step()
    print("epoch %d loss %.5f test %.5f" % (epoch, running_loss / len(train_loader), test()))

torch.save(net.state_dict(), config.checkpoint)
