import os

import torch

environ = dict(os.environ)
environ["OMP_NUM_THREADS"] = 4
os.environ.get("N", 4)
os.environ.pop("N", 4)
