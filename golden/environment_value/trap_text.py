import os

import torch

count = 4
os.environ["GPU_NUM_DEVICES"] = "4"
os.environ["OMP_NUM_THREADS"] = str(count)
os.environ["MIXED"] = f"{count}"
