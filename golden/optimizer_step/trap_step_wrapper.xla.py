"""A wrapper that sets the learning rate: the step is in its method, the mark belongs in the loop of the caller."""
import numpy as np
import torch.optim as optim
import torch_xla.core.xla_model as xm


class ScheduledOptim:
    def __init__(self, optimizer, d_model, n_warmup_steps):
        self._optimizer = optimizer
        self.n_warmup_steps = n_warmup_steps
        self.n_steps = 0

    def step_and_update_lr(self):
        self._update_learning_rate()
        xm.optimizer_step(self._optimizer)

    def zero_grad(self):
        self._optimizer.zero_grad()

    def _update_learning_rate(self):
        self.n_steps += 1
        for group in self._optimizer.param_groups:
            group["lr"] = np.power(self.n_steps, -0.5)


def train_epoch(model, batches, device):
    optimizer = ScheduledOptim(optim.Adam(model.parameters(), betas=(0.9, 0.98)), 512, 4000)
    for src, trg in batches:
        optimizer.zero_grad()
        loss = model(src.to(device), trg.to(device))
        loss.backward()
        optimizer.step_and_update_lr()
