import os
import torch

n = len(os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(","))
print(os.environ["CUDA_VISIBLE_DEVICES"])
