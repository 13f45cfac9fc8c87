import torch


def encode(lstm, batch):
    x, lengths = batch
    x = x.cuda()
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    return lstm(packed)
