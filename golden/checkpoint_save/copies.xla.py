import os
import shutil

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

dist.init_process_group("nccl")


def save_checkpoint(state, is_best, filename="last.pth"):
    xm.save(state, filename)
    if is_best and xm.is_master_ordinal(local=False):
        shutil.copyfile(filename, "best.pth")


def keep_last(model, epoch):
    xm.save(model.state_dict(), f"{epoch}.pth")
    if xm.is_master_ordinal(local=False):
        os.remove(f"{epoch - 1}.pth")
    print("saved")


def guarded(model, rank):
    xm.save(model.state_dict(), "a.pth")
    if rank == 0:
        shutil.copy("a.pth", "b.pth")
