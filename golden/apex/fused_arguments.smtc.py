import torch


def build(model, lr):
    first = torch.optim.AdamW(model.parameters(), lr, betas=(0.9, 0.95), weight_decay=0.0)
    second = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.1)
    third = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=0.1)
    fourth = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)
    fifth = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    return first, second, third, fourth, fifth
