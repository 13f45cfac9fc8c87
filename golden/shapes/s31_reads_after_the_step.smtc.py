"""Values read in every iteration after the step, and values made of its outputs after them: one mark, right after the
step."""

import torch
from torch import nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from tqdm import tqdm

device = xm.xla_device()


def train_sums(net: nn.Module, criterion, optimizer, dataset):
    train_loader = DataLoader(dataset, batch_size=128, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    train_loss, correct, total = 0, 0, 0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)

        train_loss += loss.item()
        _, predicted = outputs.max(1)
        total += targets.size(0)
        correct += predicted.eq(targets).sum().item()
    return train_loss, correct / total


def train_counts_only(net: nn.Module, criterion, optimizer, dataset):
    train_loader = DataLoader(dataset, batch_size=128, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    correct = 0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        outputs = net(inputs)
        criterion(outputs, targets).backward()
        xm.optimizer_step(optimizer)
        _, predicted = outputs.max(1)
        xm.mark_step()
        correct += predicted.eq(targets).sum().item()
    return correct


def train_bar(net: nn.Module, criterion, optimizer, dataset):
    train_loader = DataLoader(dataset, batch_size=128, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    bar = tqdm(train_loader)
    losses = []

    def log_step(losses_2, accuracy):
        bar.set_postfix(loss=losses_2, accuracy=accuracy.item())

    for inputs, targets in bar:
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        xm.mark_step()
        losses.append(loss.item())
        accuracy = (outputs.argmax(1) == targets).float().mean()
        xm.add_step_closure(log_step, args=(losses[-1], accuracy.detach()))
    xm.mark_step()
    return losses


def train_now_and_then(net: nn.Module, criterion, optimizer, dataset):
    train_loader = DataLoader(dataset, batch_size=128, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    history = []
    total = 0.0
    for i, (inputs, targets) in enumerate(train_loader):
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        if i % 10 == 0:
            history.append(loss.item())
        accuracy = (outputs.argmax(1) == targets).float().mean()
        total += accuracy.item()
    return history, total


def train_with_a_look_at_other_data(net: nn.Module, criterion, optimizer, dataset, batches):
    train_loader = DataLoader(dataset, batch_size=128, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    total, other = 0.0, 0.0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(inputs), targets)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        total += loss.item()
        looked_at = net(next(batches).to(device)).mean()
        other += looked_at.item()
    return total, other


def remember(history, loss):
    history.append(loss.item())


def train_with_a_function(net: nn.Module, criterion, optimizer, dataset):
    train_loader = DataLoader(dataset, batch_size=128, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    history, correct = [], 0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        remember(history, loss)
        predicted = outputs.argmax(1)
        correct += predicted.eq(targets).sum().item()
    return history, correct


def main(dataset, batches):
    net = nn.Linear(32, 10).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    for train in (train_sums, train_counts_only, train_bar, train_now_and_then, train_with_a_function):
        train(net, criterion, optimizer, dataset)
    train_with_a_look_at_other_data(net, criterion, optimizer, dataset, batches)
