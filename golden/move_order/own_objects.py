"""Things that have parameters() and cuda() and are no model, and a search space."""
import torch


class Space:
    def parameters(self):
        return [1, 2]

    def cuda(self):
        return self


class Search:
    def __init__(self, params):
        self.params = params

    def step(self):
        return self.params


space = Space()
optimizer = Search(space.parameters())
space.cuda()
optimizer.step()
