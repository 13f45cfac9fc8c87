import torch
import torch_xla.core.xla_model as xm
from torchvision.datasets import MNIST


def _mp_fn(index):
    if not xm.is_master_ordinal():
        xm.rendezvous("download")
    data = MNIST("data", download=True)
    if xm.is_master_ordinal():
        xm.rendezvous("download")
    return torch.utils.data.DataLoader(data)
