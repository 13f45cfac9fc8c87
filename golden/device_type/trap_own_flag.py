import torch


class Config:
    def __init__(self, wanted):
        self.is_cuda = wanted and torch.cuda.is_available()
        self.device = torch.device("cuda" if self.is_cuda else "cpu")

    def say(self, x):
        other.is_cuda = False
        print("cuda" if self.is_cuda else "cpu")
