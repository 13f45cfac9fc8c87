from functools import partial

import torch
import torch.utils.checkpoint
import torch.utils.checkpoint as cp


def forward(self, x):
    x = torch.utils.checkpoint.checkpoint(self.layer, x)
    run = partial(cp.checkpoint, self.other)
    return run(x)
