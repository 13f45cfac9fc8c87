import logging

import torch


def set_up(path):
    root = logging.getLogger()
    if not root.handlers:
        logging.basicConfig(filename=path, level=logging.INFO, force=True)
    if len(logging.root.handlers) > 1 or root.hasHandlers():
        root.setLevel(logging.DEBUG)
    return torch.ones(2).cuda()
