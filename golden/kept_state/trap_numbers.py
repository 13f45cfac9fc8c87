import torch


class Stopping:
    """What it keeps are numbers, and texts."""

    def __init__(self):
        self.best, self.waited = None, 0

    def load_state_dict(self, state):
        self.__dict__ = state


class Meter:
    def __init__(self):
        self.sums = {}

    def load_state_dict(self, state):
        self.sums = state


model = torch.nn.Linear(4, 4).cuda()
saved = torch.load("last.pt")
model.load_state_dict(saved["model"])
Stopping().load_state_dict(saved["stopping"])
Meter().load_state_dict(saved["meter"])
