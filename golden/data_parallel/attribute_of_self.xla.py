import apex
import torch


class Trainer:
    def __init__(self, model: torch.nn.Module, rank, loader):
        self.loader = loader
        self.model = model.cuda(rank)

    def save(self):
        return {"model": self.model.state_dict(), "loader": self.loader.module}
