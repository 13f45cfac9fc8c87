import logging

import torch


def get_logger(name):
    logger = logging.getLogger(name)
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.INFO)
    return logger


get_logger(__name__).info("%s", torch.ones(2).cuda())
