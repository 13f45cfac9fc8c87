import torch
import torch.nn as nn


class RNNModel(nn.Module):
    def __init__(self, ntoken, ninp, tie_weights=False):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, ninp)
        self.decoder = nn.Linear(ninp, ntoken)
        if tie_weights:
            if ninp < 1:
                raise ValueError("no")
            self.decoder.weight = self.encoder.weight

    def forward(self, x):
        return self.decoder(self.rnn(self.encoder(x))[0])


def main(args):
    device = torch.device("cuda")
    model = RNNModel(100, 16, args.tied).to(device)
    if args.tied:
        model.decoder.weight = model.encoder.weight
    always = RNNModel(100, 16, tie_weights=True)
    always.cuda()
    always.decoder.weight = always.encoder.weight
    never = RNNModel(100, 16).cuda()
    return model, always, never
