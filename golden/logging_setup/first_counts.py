import logging

import torch

logging.basicConfig(level=logging.INFO)


def main():
    logging.basicConfig(filename="train.log")
    x = torch.ones(2).cuda()
    logging.info("%s", x.sum().item())
