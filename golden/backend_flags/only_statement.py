import torch
from torch.backends import cudnn


def main(args):
    if torch.cuda.is_available():
        cudnn.benchmark = True
    for _ in range(args.epochs):
        torch.backends.cuda.enable_flash_sdp(True)
    try:
        torch.backends.cudnn.benchmark = True
    except AttributeError:
        pass
