import logging as log

import torch


def main(rank, options):
    if rank == 0:
        log.basicConfig(level=log.INFO, force=True, **options)
    else:
        log.basicConfig(level=log.ERROR, force=True)
    log.basicConfig(level=log.DEBUG, force=True)
    x = torch.ones(2).cuda()
    log.info("%s", x.sum().item())
