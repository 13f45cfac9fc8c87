import os

import torch

for gpu in range(torch.cuda.device_count()):
    os.system(f"CUDA_VISIBLE_DEVICES={gpu} python train.py --fold {gpu} &")
