import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm


def train(args, model, device, train_dataset, optimizer, epoch):
    model.train().to(device)
    train_loader = DataLoader(train_dataset)

    def log_step(batch_idx, data, loss):
        print('Train Epoch: {} [{}/{} ({:.0f}%)]\tLoss: {:.6f}'.format(
            epoch, batch_idx * len(data), len(train_loader.dataset),
            100. * batch_idx / len(train_loader), loss.item()))

    # one epoch
    for batch_idx, (data, target) in enumerate(train_loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            xm.add_step_closure(log_step, args=(batch_idx, data, loss.detach()))  # progress
