import os
import tarfile
import urllib.request

import torch
from torchvision.datasets import SVHN


def fetch(url, root):
    path = os.path.join(root, "data.tar.gz")
    if not os.path.exists(path):
        urllib.request.urlretrieve(url, path)
    with tarfile.open(path) as archive:
        archive.extractall(root)


def make(root):
    if not os.path.exists(root):
        fetch("https://example.com/data.tar.gz", root)
    return SVHN(root, download=True)


model = torch.nn.DataParallel(torch.nn.Linear(8, 10)).cuda()
data = make("data")
