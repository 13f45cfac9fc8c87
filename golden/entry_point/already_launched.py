import torch.nn as nn
import torch_xla


def _mp_fn(index):
    model = nn.DataParallel(nn.Linear(2, 2))


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
