import logging

import torch

logging.basicConfig(level=logging.DEBUG, force=True)
logging.basicConfig()
x = torch.ones(2).cuda()
