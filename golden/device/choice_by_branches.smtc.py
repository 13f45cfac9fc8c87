import torch
import torch_xla.core.xla_model as xm


def pick(args):
    if args.gpu is not None:
        torch.cuda.set_device(args.gpu)
    device = xm.xla_device()
    return device


class Trainer:
    def __init__(self, model, use_accel):
        self.device = xm.xla_device()
        self.model = model.to(self.device)

    def predict(self, x):
        return self.model(x.to(self.device)).cpu()
