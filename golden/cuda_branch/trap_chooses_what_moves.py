"""A constant that chooses what is moved switches no CUDA off."""

import torch

sparse = True
dense_labels = False

if torch.cuda.is_available():
    model.cuda()
    if sparse:
        entries = entries.cuda()
    else:
        matrix = matrix.cuda()
    if dense_labels:
        labels = one_hot.cuda()
    else:
        labels = numbers.cuda()
