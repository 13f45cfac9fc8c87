import logging

import torch

logging.basicConfig(filename="train.log")
x = torch.ones(2)
