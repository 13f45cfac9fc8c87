import os

import torch

world_size = int(os.environ["WORLD_SIZE"])
batch_size //= max(1, world_size // 8)  # instances of eight GPUs
