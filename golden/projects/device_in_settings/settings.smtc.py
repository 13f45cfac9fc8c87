import argparse
from types import SimpleNamespace

import torch

OPTIONS = argparse.Namespace(device=torch.device("xla"), lr=0.1)
CONFIG = dict(device=torch.device("xla"), batch_size=8)
PATHS = SimpleNamespace(root="runs", device=torch.device("xla"))
