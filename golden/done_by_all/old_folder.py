import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist


def prepare(log, force=False):
    if os.path.exists(log):
        if not force and input("Folder exists. Overwrite? (Y/N)").upper() != "Y":
            raise SystemExit
        shutil.rmtree(log)
    for old in Path("cache").glob("*.pt"):
        old.unlink()
    try:
        os.remove("last.pt")
    except FileNotFoundError:
        pass
    os.system("rm -rf " + log)
    os.system(f"wget https://example.com/{log}.tar")
    os.system("nvidia-smi")
    if dist.get_rank() == 0:
        os.remove("lock")
    os.remove(f"memory_{dist.get_rank()}.txt")


def ask(input):
    return input("x")


def main():
    prepare("runs")
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    return model
