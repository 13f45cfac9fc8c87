import torch
from mylib import triton_like, unique


class Table:
    def forward(self, x):
        return x.nonzero()

    def unique(self):
        return unique(self)


x = torch.zeros(2).cuda()
tokenizer.save(padding=True)
Table().unique()
