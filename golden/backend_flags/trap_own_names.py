import os

import torch


class Flags:
    benchmark = False


cudnn = Flags()
cudnn.benchmark = True
args.deterministic = True
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["NCCL_DEBUG"] = "INFO"
torch.use_deterministic_algorithms(True)
