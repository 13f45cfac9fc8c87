import os
import random

import torch
import torch.backends.cudnn as cudnn

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
torch.backends.cuda.matmul.allow_tf32 = True  # tf32
torch.backends.cudnn.allow_tf32 = True
torch.set_float32_matmul_precision("high")


def main(args):
    if args.seed is not None:
        random.seed(args.seed)
        torch.manual_seed(args.seed)
        cudnn.deterministic = True
        cudnn.benchmark = False
    else:
        cudnn.benchmark = True
    if args.fast: cudnn.enabled, cudnn.benchmark = True, not args.debug
    with torch.backends.cudnn.flags(enabled=False):
        loss = criterion()
    return loss
