import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--gpu-id', default='0', type=str)
args = parser.parse_args()

# Use CUDA
use_cuda = torch.cuda.is_available()
