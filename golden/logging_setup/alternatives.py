import logging
import sys

import torch

try:
    from rich.logging import RichHandler

    logging.basicConfig(level=logging.INFO, handlers=[RichHandler()])
except ImportError:
    logging.basicConfig(level=logging.INFO)

log = logging.getLogger("train")
if not log.hasHandlers():
    log.addHandler(logging.StreamHandler())


x = torch.ones(2).cuda()
