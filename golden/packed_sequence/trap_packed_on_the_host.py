import torch
from torch.nn.utils.rnn import pack_padded_sequence


def encode(lstm, x, lengths):
    lstm = lstm.cuda()
    return lstm(pack_padded_sequence(x.cpu(), lengths.cpu()).to("cuda"))
