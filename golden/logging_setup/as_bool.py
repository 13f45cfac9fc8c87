import logging

import torch

log = logging.getLogger("train")
if log.hasHandlers() == False or (log.hasHandlers() and not log.hasHandlers()):
    log.addHandler(logging.StreamHandler())


def ready():
    return log.hasHandlers()


print(ready() and torch.ones(2).cuda())
