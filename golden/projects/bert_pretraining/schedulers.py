from torch.optim.lr_scheduler import LambdaLR


class LinearWarmUpScheduler(LambdaLR):
    """Warms up, then goes down to zero in a straight line; one step per optimizer step."""

    def __init__(self, optimizer, warmup, total_steps):
        self.warmup, self.total_steps = warmup, total_steps
        super().__init__(optimizer, self.factor)

    def factor(self, step):
        progress = (step + 1) / self.total_steps
        if progress < self.warmup:
            return progress / self.warmup
        return max((1.0 - progress) / (1.0 - self.warmup), 0.0)


class ScheduledOptim:
    """An optimizer that sets its own learning rate before every step."""

    def __init__(self, optimizer, scheduler):
        self._optimizer = optimizer
        self._scheduler = scheduler

    def step_and_update_lr(self):
        self._optimizer.step()
        self._scheduler.step()

    def zero_grad(self):
        self._optimizer.zero_grad()

    def state_dict(self):
        return self._optimizer.state_dict()

    @property
    def learning_rate(self):
        return self._optimizer.param_groups[0]["lr"]
