"""A device loader makes lists of named tuples."""
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Batch(NamedTuple):
    tokens: torch.Tensor
    labels: torch.Tensor


def collate(samples):
    tokens, labels = zip(*samples)
    return Batch(torch.stack(tokens), torch.stack(labels))


def main():
    device = torch_xla.device()
    model = torch.nn.Embedding(100, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8, collate_fn=collate, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for batch in loader:
        batch = Batch(*batch)
        loss = torch.nn.functional.cross_entropy(model(batch.tokens).mean(1), batch.labels)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


if __name__ == "__main__":
    main()
