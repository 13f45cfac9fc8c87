import torch


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())

    def step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.scaler.step(self.optimizer)
