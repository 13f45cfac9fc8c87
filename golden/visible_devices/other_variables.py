import os
import torch

environ = {"CUDA_VISIBLE_DEVICES": "0"}
environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
print("CUDA_VISIBLE_DEVICES")
