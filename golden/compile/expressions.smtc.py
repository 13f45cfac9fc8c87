import torch

net = torch.nn.Linear(2, 2).cuda()
net = torch.nn.Linear(2, 2).cuda() if fast else torch.nn.Linear(2, 2).cuda()
step = net


class Trainer:
    def __init__(self, model):
        self.model = model
        self.net = torch.nn.Linear(2, 2).cuda()
