import os, shutil, sys, torch, torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

def main(log='logs/run', ni=False):
    if os.path.exists(log):
        if not ni and input('Folder exists. Overwrite? (Y/N)').upper() != 'Y':
            sys.exit(0)
        shutil.rmtree(log)
    os.makedirs(log, exist_ok=True)
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    opt = torch.optim.Adam(model.parameters())
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        ds, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    for x, y in pl.MpDeviceLoader(
        DataLoader(ds, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler, drop_last=True), device):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad(); loss.backward(); xm.optimizer_step(opt)


def _mp_fn(index):
    main()

if __name__ == '__main__':
    main()
