import os, shutil, sys, torch, torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

def main(log='logs/run', ni=False):
    if os.path.exists(log):
        if not ni and input('Folder exists. Overwrite? (Y/N)').upper() != 'Y':
            sys.exit(0)
        shutil.rmtree(log)
    os.makedirs(log, exist_ok=True)
    device = torch_xla.device()
    model = nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(model)
    opt = torch.optim.Adam(model.parameters())
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        ds, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    for x, y in pl.MpDeviceLoader(
        DataLoader(ds, batch_size=8 // xr.world_size(), sampler=train_sampler, drop_last=True), device):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad(); loss.backward(); xm.optimizer_step(opt)


def _mp_fn(index):
    main()

if __name__ == '__main__':
    torch_xla.launch(_mp_fn)
