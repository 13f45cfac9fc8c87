import json
import subprocess

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter
import torch_xla.core.xla_model as xm


def write_report(path, epoch):
    with open(path, "w") as file:
        json.dump({"epoch": epoch}, file)
    return path


def finish(model, epoch):
    if xm.is_master_ordinal(local=False):
        log = open("finished.txt", "w")
    if xm.is_master_ordinal(local=False):
        log.write(str(epoch))
    xm.save(model.state_dict(), "last.pt")
    if xm.is_master_ordinal(local=False):
        log.close()


def train(model, epochs):
    for epoch in range(epochs):
        if dist.get_rank() == 0:
            writer = SummaryWriter("runs")
            writer.add_scalar("epoch", epoch)
        name = f"epoch_{epoch}.pt"
        xm.save(model.state_dict(), name)
        if dist.get_rank() == 0:
            report = write_report("report.json", epoch)
            print("wrote", report)
        if dist.get_rank() == 0:
            commit = subprocess.check_output(["git", "rev-parse", "HEAD"])
            xm.save({"model": model.state_dict(), "commit": commit}, "release.pt")
    finish(model, epochs)
