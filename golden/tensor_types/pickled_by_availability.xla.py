import torch

make_float_tensor = None


def make_float_tensor_(*args):
    return torch.FloatTensor(*args).to(torch.device("xla"))


class Buffer:
    def __init__(self):
        self.Tensor = make_float_tensor_ if torch.cuda.is_available() else torch.Tensor
