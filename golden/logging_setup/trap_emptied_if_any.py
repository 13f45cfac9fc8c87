import logging

import torch


def set_up(path):
    root = logging.getLogger()
    if root.handlers:
        for handler in list(root.handlers):
            root.removeHandler(handler)
    logging.basicConfig(filename=path, level=logging.INFO)
    if not root.hasHandlers():
        print("none")


set_up("train.log")
x = torch.ones(2).cuda()
