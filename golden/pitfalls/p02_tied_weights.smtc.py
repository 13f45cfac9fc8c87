"""The decoder shares the encoder's weight; moving the model to XLA parts them."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class LanguageModel(nn.Module):
    def __init__(self, words, width, tied=False):
        super().__init__()
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.Linear(width, words)
        if tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, x):
        return self.decoder(self.rnn(self.encoder(x))[0])


def main(tied=True):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    text = torch.randint(32, (64, 9))
    device = xm.xla_device()
    loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=16, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = LanguageModel(32, 16, tied)
    model.to(device)
    if tied:
        model.decoder.weight = model.encoder.weight
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        xm.optimizer_step(optimizer)
    print(loss.item(), model.decoder.weight is model.encoder.weight)


if __name__ == "__main__":
    main()
