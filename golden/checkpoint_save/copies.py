import os
import shutil

import torch
import torch.distributed as dist

dist.init_process_group("nccl")


def save_checkpoint(state, is_best, filename="last.pth"):
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, "best.pth")


def keep_last(model, epoch):
    torch.save(model.state_dict(), f"{epoch}.pth")
    os.remove(f"{epoch - 1}.pth")
    print("saved")


def guarded(model, rank):
    if rank == 0:
        torch.save(model.state_dict(), "a.pth")
        shutil.copy("a.pth", "b.pth")
