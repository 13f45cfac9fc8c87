import logging

import torch

for handler in logging.root.handlers[:]:
    logging.root.removeHandler(handler)
logging.basicConfig(filename="train.log", level=logging.INFO)
x = torch.ones(2).cuda()
