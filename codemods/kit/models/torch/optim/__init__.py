"""torch.optim: optimizers capture parameters, and step them."""

from meaning import (
    capture,
    captured,
    device_kind,
    event,
    fresh,
    made_with,
    own_attribute,
    read,
    resume,
    say,
    bounded,
    step as _step,
    unplaced,
    zero as _zero,
)

from . import lr_scheduler, swa_utils


class Optimizer:
    _fused = False

    def __init__(self, params=None, *given, **more):
        self._fused = more.get("fused")
        if params is None:
            params = more.get("params")
        capture(self, params)
        made_with(self, more)
        self._begin()

    def _begin(self):
        self.param_groups = [{"params": captured(self), "lr": fresh("lr", "varying")}]
        self.state = {}
        self.defaults = {}

    def __init_subclass__(cls, **more):
        own = own_attribute(cls, "step")
        if own is not None:
            cls.step = _stepping(own)

    def step(self, closure=None, *given, **more):
        self._stepped = True
        loss = closure() if closure is not None else None
        if self._fused is True and device_kind(*captured(self)[:1]) == "xla":
            say("what is written runs on torch_xla", "a fused optimizer steps no parameters of the XLA device")
        _step(self)
        return loss

    def zero_grad(self, set_to_none=True, **more):
        _zero(self, set_to_none is False)

    def add_param_group(self, group):
        capture(self, [captured(self), group])

    def state_dict(self):
        from meaning import state_of

        return state_of(self)

    def load_state_dict(self, state):
        event("load state", "optimizer")
        resume(self, state)

    def register_step_post_hook(self, *given):
        return None


def _stepping(own):
    """An optimizer's own `step`: whatever it does with the parameters, it steps them."""

    def step(self, *given, **more):
        self._stepped = False
        made = bounded(own, self, *given, **more)
        if not self._stepped:
            _step(self)
        return made

    return step


class SGD(Optimizer):
    pass


class Adam(Optimizer):
    pass


class AdamW(Optimizer):
    pass


class LBFGS(Optimizer):
    def step(self, closure, *given, **more):
        self._stepped = True
        loss = closure()
        read(loss, "LBFGS")
        _step(self)
        return loss


def __getattr__(name):
    return Optimizer


Adagrad = Adadelta = RMSprop = Adamax = NAdam = RAdam = ASGD = Rprop = SparseAdam = SGD
