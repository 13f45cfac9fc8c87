import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(1234)
    torch.cuda.manual_seed_all(1234)
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=16, shuffle=True, drop_last=True)
    model = nn.DataParallel(nn.Linear(8, 8).cuda())
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(2):
        for (x,) in loader:
            x = x.cuda()
            noise = torch.randn_like(x)
            t = torch.randint(low=1, high=1000, size=(x.size(0),)).cuda()
            scale = (t.float() / 1000).view(-1, 1)
            loss = (model(x * (1 - scale) + noise * scale) - noise).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


if __name__ == "__main__":
    main()
