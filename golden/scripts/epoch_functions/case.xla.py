"""PyTorch example: regress the two angles of a robot arm from noisy end-point readings"""
from __future__ import print_function
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(2, 40)
        self.dropout = nn.Dropout(0.1)
        self.fc2 = nn.Linear(40, 40)
        self.fc3 = nn.Linear(40, 2)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        x = self.dropout(x)
        x = torch.tanh(self.fc2(x))
        return self.fc3(x)


def arm(n, seed):
    g = torch.Generator().manual_seed(seed)
    angles = 1.5 * torch.rand(n, 2, generator=g)
    elbow = torch.stack([torch.cos(angles[:, 0]), torch.sin(angles[:, 0])], 1)
    total = angles.sum(1)
    hand = elbow + torch.stack([torch.cos(total), torch.sin(total)], 1)
    return TensorDataset(hand + 0.01 * torch.randn(n, 2, generator=g), angles)


def train(args, model, device, train_loader, optimizer, epoch):
    model.train()
    train_device_loader = pl.MpDeviceLoader(train_loader, device)

    def log_step(batch_idx, data, loss):
        print('Train Epoch: {} [{}/{} ({:.0f}%)]\tLoss: {:.6f}'.format(
            epoch, batch_idx * len(data), len(train_loader.dataset),
            100. * batch_idx / len(train_loader), loss.item()))

    for batch_idx, (data, target) in enumerate(train_device_loader):
        optimizer.zero_grad()
        output = model(data)
        loss = F.mse_loss(output, target)
        loss.backward()
        xm.optimizer_step(optimizer)
        if batch_idx % args.log_interval == 0:
            xm.add_step_closure(log_step, args=(batch_idx, data, loss.detach()))
            if args.dry_run:
                break
    torch_xla.sync()


def evaluate(model, device, test_loader):
    model.eval()
    test_loss = 0
    close = 0
    with torch.no_grad():
        test_device_loader = pl.MpDeviceLoader(test_loader, device)
        for data, target in test_device_loader:
            output = model(data)
            test_loss += F.mse_loss(output, target, reduction='sum').item()  # sum up batch loss
            close += ((output - target).abs().max(1)[0] < 0.2).sum().item()  # both angles within 0.2 rad

    test_loss /= len(test_loader.dataset)

    print('\nTest set: Average loss: {:.4f}, Close: {}/{} ({:.0f}%)\n'.format(
        test_loss, close, len(test_loader.dataset),
        100. * close / len(test_loader.dataset)))


def main():
    # Training settings
    parser = argparse.ArgumentParser(description='PyTorch Robot Arm Example')
    parser.add_argument('--batch-size', type=int, default=16, metavar='N',
                        help='input batch size for training (default: 16)')
    parser.add_argument('--test-batch-size', type=int, default=50, metavar='N',
                        help='input batch size for testing (default: 50)')
    parser.add_argument('--epochs', type=int, default=3, metavar='N')
    parser.add_argument('--lr', type=float, default=0.5, metavar='LR')
    parser.add_argument('--gamma', type=float, default=0.7, metavar='M',
                        help='Learning rate step gamma (default: 0.7)')
    parser.add_argument('--no-cuda', action='store_true', default=False,
                        help='disables CUDA training')
    parser.add_argument('--dry-run', action='store_true', default=False,
                        help='quickly check a single pass')
    parser.add_argument('--seed', type=int, default=1, metavar='S')
    parser.add_argument('--log-interval', type=int, default=2, metavar='N',
                        help='how many batches to wait before logging training status')
    parser.add_argument('--save-model', action='store_true', default=False,
                        help='For Saving the current Model')
    args = parser.parse_args()
    use_cuda = not args.no_cuda

    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)

    device = torch_xla.device()

    train_kwargs = {'batch_size': args.batch_size}
    test_kwargs = {'batch_size': args.test_batch_size}
    if use_cuda:
        cuda_kwargs = {'num_workers': 1,
                       'shuffle': True}
        train_kwargs.update(cuda_kwargs)
        test_kwargs.update(cuda_kwargs)

    train_loader = DataLoader(arm(100, seed=3), **train_kwargs)
    test_loader = DataLoader(arm(50, seed=4), **test_kwargs)

    model = Net().to(device)
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)

    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, train_loader, optimizer, epoch)
        evaluate(model, device, test_loader)
        scheduler.step()

    if args.save_model:
        xm.save(model.state_dict(), "robot_arm.pt")


if __name__ == '__main__':
    main()
