import torch


def pack_padded_sequence(x, lengths):
    return x[: lengths.max()]


def encode(lstm, x, lengths):
    return lstm(pack_padded_sequence(x.cuda(), lengths))
