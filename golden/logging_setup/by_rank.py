import logging as log

import torch


def main(rank, options):
    if rank == 0:
        log.basicConfig(level=log.INFO, **options)
    else:
        log.basicConfig(level=log.ERROR)
    log.basicConfig(level=log.DEBUG)
    x = torch.ones(2).cuda()
    log.info("%s", x.sum().item())
