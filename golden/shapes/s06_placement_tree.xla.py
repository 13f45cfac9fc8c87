"""The placement tree of imagenet: one GPU, this process's GPU, or all GPUs of DataParallel."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

parser = argparse.ArgumentParser()
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--workers", default=2, type=int)
parser.add_argument("--world-size", default=1, type=int)
parser.add_argument("--rank", default=0, type=int)
parser.add_argument("--gpu", default=None, type=int)
parser.add_argument("--multiprocessing-distributed", action="store_true")
parser.add_argument("--resume", default="", type=str)


def main():
    args = parser.parse_args()
    args.distributed = args.world_size > 1 or args.multiprocessing_distributed
    if args.multiprocessing_distributed:
        torch_xla.launch(main_worker, args=(args,))
    else:
        main_worker(args.gpu, args)


def main_worker(gpu, args):
    ngpus_per_node = xr.local_device_count()
    args.gpu = gpu
    if args.distributed:
        if args.multiprocessing_distributed:
            args.rank = xr.global_ordinal()
    model = nn.Linear(8, 2)
    device = torch_xla.device()
    if args.distributed:
        args.batch_size = int(args.batch_size / ngpus_per_node)
        args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
    model = model.to(device)
    xm.broadcast_master_param(model)
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if args.resume:
        state_dict = torch.load(args.resume, map_location="cpu")
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "module.")
        model.load_state_dict(state_dict)
    data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    sampler = DistributedSampler(
        data, num_replicas=xr.world_size(), rank=xr.global_ordinal()) if args.distributed else None
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=sampler is None, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for images, target in loader:
        loss = criterion(model(images), target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


if __name__ == "__main__":
    main()
