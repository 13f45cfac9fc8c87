import apex
import torch
from apex.parallel import DistributedDataParallel as ApexDDP


class Trainer:
    def __init__(self, model: torch.nn.Module, rank, loader):
        self.loader = loader
        self.model = ApexDDP(model.cuda(rank), delay_allreduce=True)

    def save(self):
        return {"model": self.model.module.state_dict(), "loader": self.loader.module}
