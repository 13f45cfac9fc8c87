import os

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def dump(features, labels, net, optimizer, folder):
    if folder and dist.get_rank() == 0:
        torch.save(features.cpu(), os.path.join(folder, "features.pth"))
        torch.save({"labels": labels.cpu(), "classes": 10}, os.path.join(folder, "labels.pth"))

    if dist.get_rank() == 0:
        torch.save({k: v.cpu() for k, v in net.state_dict().items()}, os.path.join(folder, "host.pth"))

    if dist.get_rank() == 0:
        print("saving")
    xm.save(net.state_dict(), os.path.join(folder, "net.pth"))
    xm.save(optimizer.state_dict(), os.path.join(folder, "optimizer.pth"))
    if dist.get_rank() == 0:
        print("saved")
