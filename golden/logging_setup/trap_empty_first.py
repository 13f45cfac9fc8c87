import logging

import torch

logging.basicConfig()


def set_up():
    logging.basicConfig(level=logging.DEBUG)


set_up()
x = torch.ones(2).cuda()
