import torch


def input(text):
    return text


answer = input("Overwrite?")
model = torch.nn.DataParallel(torch.nn.Linear(2, 2)).cuda()
