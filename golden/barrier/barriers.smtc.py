import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def prepare(args):
    if dist.get_rank() != 0:
        xm.rendezvous("prepare_in_turn")  # the first process downloads
    data = open("data")
    if dist.get_rank() == 0: xm.rendezvous("prepare_in_turn")
    xm.rendezvous("prepare")
    if args.verbose:
        xm.rendezvous("prepare_2")
    return data


class Trainer:
    def fit(self):
        xm.rendezvous("fit")


xm.rendezvous("main")
