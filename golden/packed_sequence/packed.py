import torch
from torch import nn
from torch.nn.utils import rnn
from torch.nn.utils.rnn import pack_padded_sequence as pack, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 5, batch_first=True).cuda()

    def forward(self, x, lengths):
        out, _ = self.rnn(pack(x, lengths, batch_first=True))
        return pad_packed_sequence(out, batch_first=True)[0]


def on_host(lstm, x, lengths):
    return lstm(pack(x.cpu(), lengths.cpu(), batch_first=True).to("cuda"))


def several(lstm, parts):
    return lstm(rnn.pack_sequence(parts))
