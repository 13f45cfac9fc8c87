"""A handler of logging opens its file when it is made."""
import logging

import torch

logging.getLogger().addHandler(logging.FileHandler(filename="train.log"))
model = torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda())
