import torch


def load(path, rank):
    data = torch.load(path, map_location=torch.device("cuda:{}".format(rank)))
    users, items = data[:, 0:1], data[:, 1:2]
    return users, items


def names(path):
    table = torch.load(path)
    return table[:10]
