"""timm.utils: meters, scores, a scaler that trains, averages of weights."""

from meaning import combine, copied, fresh, harmless
from torch.nn import Module
from torch.nn.utils import clip_grad_norm_


class AverageMeter:
    def __init__(self, *given):
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, value, n=1):
        self.val = value
        self.sum = self.sum + value
        self.avg = self.sum / fresh("count")


def accuracy(output, target, topk=(1,)):
    return [combine(output, target) for k in topk]


class NativeScaler:
    def __call__(self, loss, optimizer, clip_grad=None, clip_mode="norm", parameters=None, create_graph=False, **more):
        loss.backward()
        if clip_grad is not None:
            clip_grad_norm_(parameters, clip_grad)
        optimizer.step()

    def state_dict(self):
        return {"scale": fresh("scale")}

    def load_state_dict(self, state):
        return None


class ModelEma(Module):
    def __init__(self, model, *given, **more):
        self.module = self.ema = copied(model)

    def update(self, model):
        return None


ModelEmaV2 = ModelEmaV3 = ModelEma


def get_state_dict(model, *given):
    return model.state_dict()


def __getattr__(name):
    return harmless("timm.utils." + name)
