import torch


def to_gpu(x):
    if torch.cuda.is_available():
        return x.cuda()
    # on a laptop
    print("slow")
    return x


def backend():
    if not torch.cuda.is_available():
        return "gloo"
    return "nccl"


def available(): return torch.cuda.is_available()


class Timer:
    def __init__(self):
        self.sync = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None

    def stop(self, verbose=torch.cuda.is_available()):
        while not torch.cuda.is_available():
            pass
        return {"gpu": torch.cuda.is_available(), "on": [1 for _ in "a" if torch.cuda.is_available()]}
