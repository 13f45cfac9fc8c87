import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main(train_set, valid_set, model, arch):
    device = torch_xla.device()
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_queue = DataLoader(train_set, batch_size=64, drop_last=True)
    train_queue = pl.MpDeviceLoader(train_queue, device)
    valid_queue = DataLoader(valid_set, batch_size=64, drop_last=True)
    for epoch in range(10):
        train(train_queue, valid_queue, model, optimizer, arch)
        infer(valid_queue, model)


def train(train_queue, valid_queue, model, optimizer, arch):
    device = torch_xla.device()
    for step, (input, target) in enumerate(train_queue):
        input_search, target_search = next(iter(valid_queue))
        input_search = input_search.to(device)
        target_search = target_search.to(device)
        arch.step(input, target, input_search, target_search)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(input), target)
        loss.backward()
        xm.optimizer_step(optimizer)


def infer(valid_queue, model):
    device = torch_xla.device()
    with torch.no_grad():
        valid_queue = pl.MpDeviceLoader(valid_queue, device)
        for input, target in valid_queue:
            print((model(input).argmax(1) == target).sum().item())
