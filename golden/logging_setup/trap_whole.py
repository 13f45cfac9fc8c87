import logging
import logging.config

import torch

logging.config.dictConfig({"version": 1, "root": {"level": "INFO"}})
logging.basicConfig(level=logging.DEBUG)
logger = logging.getLogger(__name__)
if not logger.handlers:
    logger.addHandler(logging.StreamHandler())
if not logging.getLogger().handlers:
    logger.warning("no handlers")
x = torch.ones(2).cuda()
