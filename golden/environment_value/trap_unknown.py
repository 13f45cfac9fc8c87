import os

import torch

from config import threads

level = 1
level = input()


def run(count, environ):
    os.environ["OMP_NUM_THREADS"] = count
    os.environ["THREADS"] = threads
    os.environ["LEVEL"] = level
    environ["COUNT"] = 4
