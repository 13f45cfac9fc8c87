import argparse
from types import SimpleNamespace

import torch

OPTIONS = argparse.Namespace(device=torch.device("cuda:0"), lr=0.1)
CONFIG = dict(device=torch.device("cuda" if torch.cuda.is_available() else "cpu"), batch_size=8)
PATHS = SimpleNamespace(root="runs", device="cuda")
