import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.runtime as xr

from models import *
from settings import *


def build():
    torch.manual_seed(SEED)
    torch_xla.manual_seed(int(SEED))
    x = torch.randn(40, 4)
    train_dataset = TensorDataset(x, (x.sum(1) > 0).long())
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    loader = DataLoader(train_dataset, batch_size=BATCH // xr.world_size(), sampler=train_sampler)
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load(start_file(), map_location="cpu")["model"])
    model = model.to(DEVICE)
    return loader, model, torch.optim.SGD(model.parameters(), lr=0.1)
