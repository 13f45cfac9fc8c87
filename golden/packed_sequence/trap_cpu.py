from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


def encode(rnn: nn.LSTM, x, lengths):
    return rnn(pack_padded_sequence(x, lengths))
