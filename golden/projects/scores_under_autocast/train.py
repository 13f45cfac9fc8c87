import numpy as np
import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset

from metrics import Scores


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU())
        self.head = nn.Linear(16, 4)

    @autocast()
    def forward(self, x):
        return self.head(self.body(x))


def validate(net, loader):
    net.eval()
    sigmoid = nn.Sigmoid()
    outputs, labels, best, scores = [], [], [], Scores()
    with torch.no_grad():
        for x, y in loader:
            out = net(x.cuda())
            with autocast():
                chances = sigmoid(out)
                shares = out.softmax(-1)
            scores.add(chances)
            outputs.append(chances.detach().cpu())
            best.append(out.argmax(-1).cpu().numpy())
            print(shares.cpu().numpy().sum().round(1), out.float().cpu().numpy().shape)
            labels.append(y.cpu())
    outputs, labels = torch.cat(outputs).numpy(), torch.cat(labels).numpy()
    net.train()
    return np.abs(outputs).max() <= 1, labels.shape, np.concatenate(best).dtype, scores.mean() > 0


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 4, (64,)))
    loader, held_out = DataLoader(data, batch_size=16), DataLoader(data, batch_size=16)
    net = Net().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    scaler = GradScaler()
    for epoch in range(2):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        print(epoch, validate(net, held_out))


if __name__ == "__main__":
    main()
