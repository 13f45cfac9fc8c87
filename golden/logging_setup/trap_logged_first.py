import logging

import torch

logging.info("start")
logging.basicConfig(level=logging.DEBUG)
x = torch.ones(2).cuda()
