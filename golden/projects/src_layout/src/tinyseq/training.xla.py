from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from .batch import to_device


def train_step(model, optimizer, scaler, batch, *, clip: float):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("xla", dtype=torch.bfloat16):
        logits = model(batch["tokens"])
        loss = F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())
    loss.backward()
    xm.reduce_gradients(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.detach()


def make_step(model, optimizer, scaler, clip: float = 1.0):
    """The step with everything but the batch filled in."""
    return partial(train_step, model, optimizer, scaler, clip=clip)


class Trainer:
    def __init__(self, model, step, device, log_every: int = 4) -> None:
        self.model, self.step, self.device, self.log_every = model, step, device, log_every
        self.global_step = 0

    def fit(self, loader, epochs: int) -> None:
        loader = pl.MpDeviceLoader(loader, self.device)

        def log_step(global_step, loss):
            print(f"epoch {epoch} step {global_step} loss {loss.item():.4f}")

        for epoch in range(epochs):
            self.model.train()
            for batch in loader:
                batch = to_device(batch, self.device)
                loss = self.step(batch)
                self.global_step += 1
                if self.global_step % self.log_every == 0:
                    xm.add_step_closure(log_step, args=(self.global_step, loss))

    @torch.no_grad()
    def evaluate(self, loader) -> float:
        self.model.eval()
        correct = total = 0
        loader = pl.MpDeviceLoader(loader, self.device)
        for batch in loader:
            batch = to_device(batch, self.device)
            predicted = self.model(batch["tokens"]).argmax(-1)
            correct += (predicted == batch["labels"]).sum()
            total += batch["labels"].numel()
        return (correct / total).item()
