import torch
import torch_xla


def pick(args):
    if args.gpu is not None:
        torch.cuda.set_device(args.gpu)
    device = torch_xla.device()
    return device


class Trainer:
    def __init__(self, model, use_accel):
        self.device = torch_xla.device()
        self.model = model.to(self.device)

    def predict(self, x):
        return self.model(x.to(self.device)).cpu()
