"""torch.cuda.amp and torch.amp."""

from meaning import clip, combine, event, fresh
from torch import autocast


class GradScaler:
    def __init__(self, *given, **more):
        return None

    def _get_scale_async(self):
        event("cuda scaler")
        return combine(self)

    def scale(self, loss):
        event("scaled loss")
        return combine(loss)

    def unscale_(self, optimizer):
        clip(optimizer, "unscale")

    def step(self, optimizer, *given, **more):
        event("scaled step")
        return optimizer.step()

    def update(self, *given):
        event("scaler update")

    def get_scale(self):
        return fresh("scale", "varying")

    def is_enabled(self):
        return fresh("scaler enabled")

    def state_dict(self):
        return {"scale": fresh("scale")}

    def load_state_dict(self, state):
        return None


def custom_fwd(function=None, **more):
    return function if function is not None else (lambda inner: inner)


custom_bwd = custom_fwd
