import logging

import torch


def set_up(path):
    try:
        logging.basicConfig(filename=path, level=logging.INFO, force=True)
        logging.info("%s", open(path).read())
    except OSError:
        logging.basicConfig(level=logging.INFO, force=True)


def ready():
    return logging.getLogger("train").hasHandlers()


set_up("train.log")
x = torch.ones(2).cuda()
