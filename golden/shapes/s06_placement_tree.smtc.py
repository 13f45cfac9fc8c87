"""The placement tree of imagenet: one GPU, this process's GPU, or all GPUs of DataParallel."""
import os
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

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
    args.distributed = xm.xrt_world_size() > 1 or args.multiprocessing_distributed
    if args.multiprocessing_distributed:
        main_worker(xm.get_local_ordinal(), args)
    else:
        main_worker(args.gpu, args)


def main_worker(gpu, args):
    ngpus_per_node = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    args.gpu = gpu
    if args.distributed:
        if args.multiprocessing_distributed:
            args.rank = xm.get_ordinal()
    model = nn.Linear(8, 2)
    device = xm.xla_device()
    if args.distributed:
        args.batch_size = int(args.batch_size / ngpus_per_node)
        args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if args.resume:
        state_dict = torch.load(args.resume, map_location="cpu")
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "module.")
        model.load_state_dict(state_dict)
    data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    sampler = DistributedSampler(
        data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()) if args.distributed else None
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=sampler is None, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for images, target in loader:
        loss = criterion(model(images), target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
