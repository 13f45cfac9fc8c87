import torch

make_float_tensor = None


class Buffer:
    def __init__(self):
        self.Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.Tensor
