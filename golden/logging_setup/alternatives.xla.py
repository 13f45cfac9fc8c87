import logging
import sys

import torch

try:
    from rich.logging import RichHandler

    logging.basicConfig(level=logging.INFO, handlers=[RichHandler()], force=True)
except ImportError:
    logging.basicConfig(level=logging.INFO, force=True)

log = logging.getLogger("train")
if not log.hasHandlers():
    log.addHandler(logging.StreamHandler())


x = torch.ones(2).cuda()
