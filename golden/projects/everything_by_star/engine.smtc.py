import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm

from models import *
from settings import *


def build():
    torch.manual_seed(SEED)
    xm.set_rng_state(int(SEED))
    x = torch.randn(40, 4)
    train_dataset = TensorDataset(x, (x.sum(1) > 0).long())
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(train_dataset, batch_size=BATCH // xm.xrt_world_size(), sampler=train_sampler)
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load(start_file(), map_location="cpu")["model"])
    model = model.to(DEVICE)
    return loader, model, torch.optim.SGD(model.parameters(), lr=0.1)
