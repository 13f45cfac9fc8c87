"""A device loader makes lists of named tuples."""
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader


class Batch(NamedTuple):
    tokens: torch.Tensor
    labels: torch.Tensor


def collate(samples):
    tokens, labels = zip(*samples)
    return Batch(torch.stack(tokens), torch.stack(labels))


def main():
    device = torch.device("cuda")
    model = torch.nn.Embedding(100, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8, collate_fn=collate, drop_last=True)
    for batch in loader:
        loss = torch.nn.functional.cross_entropy(model(batch.tokens.to(device)).mean(1), batch.labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
