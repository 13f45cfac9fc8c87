import torch

device = "cpu"
if args.gpu and torch.cuda.is_available():
    device = "cuda"
torch.nn.Linear(2, 2).to(device)
if str(device).startswith("xla"):
    print("on the GPU")


def get_device(use_cuda):
    device = "cpu"
    if use_cuda:
        device = "cuda:0"
    return device


def train(use_cuda):
    chosen = get_device(use_cuda)
    torch.nn.Linear(2, 2).to(chosen)
    if str(chosen).startswith("xla") and use_cuda:
        print("on the GPU")
    if not str(chosen).startswith("xla"):
        print("on the CPU")


class Trainer:
    def __init__(self, gpu):
        if gpu:
            self.device = torch.device("cuda")
        else:
            self.device = torch.device("cpu")
        torch.nn.Linear(2, 2).to(self.device)

    def report(self):
        return self.device.type == "xla" or self.device.type == "xla"
