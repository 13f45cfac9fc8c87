"""Migrated by hand in a class of another file, whose loader marks the steps: closures wait for them."""
import itertools

import torch_xla.core.xla_model as xm
from base import Trainer


class Small(Trainer):
    def train_loop(self, loader, epoch):
        self.model.train()
        loader = itertools.islice(loader, 10)
        for step, (data, target) in enumerate(loader):
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(data), target)
            loss.backward()
            self.run_optimizer()
            if step % 10 == 0:
                xm.add_step_closure(self.update, args=(step, loss, epoch))
