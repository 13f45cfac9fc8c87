"""timm.scheduler: learning rates by epoch or update."""

from meaning import fresh
from torch.optim.lr_scheduler import LRScheduler


class Scheduler(LRScheduler):
    def step_update(self, *given, **more):
        self.step()


def create_scheduler(args, optimizer, *given, **more):
    return Scheduler(optimizer), fresh("epochs")


def create_scheduler_v2(optimizer, *given, **more):
    return Scheduler(optimizer), fresh("epochs")


def __getattr__(name):
    return Scheduler
