import logging
import sys

import torch


def train(path):
    logging.basicConfig(filename=path, level=logging.INFO, force=True)
    return torch.ones(2).cuda()


def evaluate(folds):
    for fold in folds:
        logging.basicConfig(filename=f"{fold}.log", level=logging.INFO, force=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        logging.basicConfig(level=logging.DEBUG, force=True)
    train("train.log")
