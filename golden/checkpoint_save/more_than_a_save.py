import json
import subprocess

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


def write_report(path, epoch):
    with open(path, "w") as file:
        json.dump({"epoch": epoch}, file)
    return path


def finish(model, epoch):
    log = open("finished.txt", "w")
    log.write(str(epoch))
    torch.save(model.state_dict(), "last.pt")
    log.close()


def train(model, epochs):
    for epoch in range(epochs):
        if dist.get_rank() == 0:
            writer = SummaryWriter("runs")
            writer.add_scalar("epoch", epoch)
            name = f"epoch_{epoch}.pt"
            torch.save(model.state_dict(), name)
            report = write_report("report.json", epoch)
            print("wrote", report)
        if dist.get_rank() == 0:
            commit = subprocess.check_output(["git", "rev-parse", "HEAD"])
            torch.save({"model": model.state_dict(), "commit": commit}, "release.pt")
    if dist.get_rank() == 0:
        finish(model, epochs)
