"""The keyword async, as PyTorch 0.3 spelled it: it does not parse since Python 3.7."""
import torch
import torch.nn as nn
from torch.autograd import Variable
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(loader, model, criterion, optimizer):
    model.train()
    device = xm.xla_device()
    loader = pl.MpDeviceLoader(loader, device)
    for i, (input, target) in enumerate(loader):
        input_var = Variable(input)
        target_var = Variable(target)
        loss = criterion(model(input_var), target_var)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def main(loader):
    device = xm.xla_device()
    model = nn.Linear(8, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    train(loader, model, criterion, optimizer)
