import logging

import torch

log = logging.getLogger("train")
if bool(log.handlers) == False or (log.handlers and not log.handlers):
    log.addHandler(logging.StreamHandler())


def ready():
    return bool(log.handlers)


print(ready() and torch.ones(2).cuda())
