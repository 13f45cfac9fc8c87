"""torch.optim.lr_scheduler."""

from meaning import event, fresh, rate


class LRScheduler:
    def __init__(self, optimizer=None, *given, **more):
        self.optimizer = optimizer

    def step(self, *given, **more):
        event("schedule")

    def get_last_lr(self):
        return [fresh("lr", "varying")]

    get_lr = get_last_lr

    def state_dict(self):
        return {"last_epoch": fresh("epoch")}

    def load_state_dict(self, state):
        return None


_LRScheduler = LRScheduler


class LambdaLR(LRScheduler):
    pass


class ReduceLROnPlateau(LRScheduler):
    def step(self, metric, *given, **more):
        event("schedule")
        rate(metric)
        float(metric)


def __getattr__(name):
    return LRScheduler
