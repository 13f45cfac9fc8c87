import torch


def pick(args):
    if args.gpu is not None:
        torch.cuda.set_device(args.gpu)
    if torch.cuda.is_available():
        if args.gpu is not None:
            device = torch.device('cuda:{}'.format(args.gpu))
        else:
            device = torch.device("cuda")
    elif torch.backends.mps.is_available():
        device = torch.device("mps")
    else:
        device = torch.device("cpu")
    return device


class Trainer:
    def __init__(self, model, use_accel):
        if use_accel: self.device = torch.accelerator.current_accelerator()
        else: self.device = torch.device("cpu")
        self.model = model.to(self.device)

    def predict(self, x):
        return self.model(x.to("cuda")).cpu()
