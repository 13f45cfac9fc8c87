import torch
from torch.nn.utils.rnn import pad_sequence


def collate(samples):
    return pad_sequence(samples, batch_first=True).cuda()
