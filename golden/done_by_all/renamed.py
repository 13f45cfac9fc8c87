import os

import torch


def rotate(path):
    os.rename(path, path + ".old")


rotate("last.pt")
model = torch.nn.DataParallel(torch.nn.Linear(2, 2)).cuda()
