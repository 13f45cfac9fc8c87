"""How long each element becomes is read from the device, one after the other: a compilation for each of them."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LengthRegulator(nn.Module):
    def LR(self, x, duration, max_len):
        output = list()
        for batch, expand_target in zip(x, duration):
            output.append(self.expand(batch, expand_target))
        return nn.utils.rnn.pad_sequence(output, batch_first=True)

    def expand(self, batch, predicted):
        out = list()
        for i, vec in enumerate(batch):
            expand_size = predicted[i].item()
            out.append(vec.expand(max(int(expand_size), 0), -1))
        return torch.cat(out, 0)

    def forward(self, x, duration, max_len):
        return self.LR(x, duration, max_len)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.lr = LengthRegulator()
        self.out = nn.Linear(8, 4)

    def forward(self, x, d):
        return self.out(self.lr(self.emb(x), d, None))


def main():
    torch.manual_seed(0)
    model = Net().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randint(0, 10, (32, 6)), torch.randint(1, 3, (32, 6)))
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    for epoch in range(2):
        for x, d in loader:
            x, d = x.to(device), d.to(device)
            loss = model(x, d).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()


if __name__ == "__main__":
    main()
