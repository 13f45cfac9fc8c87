"""A script that catches the failure has its own answer to it."""

import errno
import os

import torch


def mkdir_p(path):
    try:
        os.makedirs(path)
    except OSError as error:
        if error.errno != errno.EEXIST:
            raise


mkdir_p("runs")
model = torch.nn.DataParallel(torch.nn.Linear(4, 1).cuda())
