"""A base class ties head and embedding in a method that its constructor calls: on XLA they part when the model moves."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Base(nn.Module):
    def init_weights(self):
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.02)
        head = self.get_output_embeddings()
        if head is not None:
            tie(head, self.get_input_embeddings())


def tie(head, embedding):
    head.weight = embedding.weight


class LanguageModel(Base):
    def __init__(self, words=50, width=16):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.head = nn.Linear(width, words, bias=False)
        self.init_weights()

    def get_input_embeddings(self):
        return self.words

    def get_output_embeddings(self):
        return self.head

    def forward(self, ids):
        return self.head(self.words(ids))


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = LanguageModel().to(device)
    model.head.weight = model.words.weight
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for ids in pl.MpDeviceLoader(DataLoader(torch.randint(0, 50, (64, 9)), batch_size=8, drop_last=True), device):
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
    xm.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
