import torch
import torch.nn as nn
from torch_xla.utils.checkpoint import checkpoint


class Encoder(nn.Module):
    def forward(self, x, mask):
        for block in self.blocks:
            x = checkpoint(block, x, mask)
        x = checkpoint(self.head, x, preserve_rng_state=False)
        return checkpoint(self.tail, x, use_reentrant=True)
