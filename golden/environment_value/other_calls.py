import os

import torch

os.environ.setdefault("OMP_NUM_THREADS", 4)
os.environ.update({"A": 1, "B": "two"}, C=3)
