import torch
from torch import nn


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(wte=nn.Embedding(8, 4)))
        self.lm_head = nn.Linear(4, 8, bias=False)
        self.tie_weights()

    def tie_weights(self):
        self.lm_head.weight = self.transformer.wte.weight


class Both(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
        self.config = config
        if config.share:
            self.a.weight = self.b.weight


class Trainer:
    def __init__(self, config):
        self.model = GPT(config)
        if config.cuda: self.model.cuda()
        self.both = Both(config).cuda()
