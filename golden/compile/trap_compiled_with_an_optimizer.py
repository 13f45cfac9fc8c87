"""A `compile` of the library's own, as Keras has it, chooses the optimizer and the loss: it stays."""

import torch
from torch import nn

from tables.models import Fitted


class Ranker(nn.Module, Fitted):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x):
        return torch.sigmoid(self.score(x))


model = Ranker(8).cuda()
model.compile("adam", "binary_crossentropy", metrics=["auc"])
model.fit(torch.randn(32, 8), torch.rand(32), epochs=2)
model.compile(optimizer="sgd", loss="mse")
model.fit(torch.randn(32, 8), torch.rand(32), epochs=2)
