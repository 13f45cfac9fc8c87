import os

import torch

world_size = int(os.environ["WORLD_SIZE"])
batch_size //= world_size // 8  # instances of eight GPUs
