import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from settings import CONFIG, OPTIONS, PATHS


def main():
    torch.manual_seed(0)
    model = nn.DataParallel(nn.Linear(8, 2).to(OPTIONS.device))
    optimizer = torch.optim.SGD(model.parameters(), lr=OPTIONS.lr)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    loader = DataLoader(data, batch_size=CONFIG["batch_size"], shuffle=True, drop_last=True)
    for x, y in loader:
        x, y = x.to(CONFIG["device"]), y.to(PATHS.device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
