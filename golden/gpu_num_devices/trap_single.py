"""One process: what is set before torch_xla is used counts."""
import os

os.environ["GPU_NUM_DEVICES"] = "1"

import torch_xla.core.xla_model as xm

device = xm.xla_device()
