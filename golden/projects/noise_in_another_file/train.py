import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from diffusion import Diffusion


def main():
    torch.manual_seed(1234)
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=16, shuffle=True, drop_last=True)
    model = nn.DataParallel(nn.Linear(8, 8).cuda())
    optimizer = torch.optim.Adam(model.parameters())
    diffusion = Diffusion()
    for epoch in range(2):
        for (x,) in loader:
            loss = diffusion.loss(model, x.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
