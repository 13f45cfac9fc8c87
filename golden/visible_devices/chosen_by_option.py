import argparse
import os
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--gpu-id', default='0', type=str)
args = parser.parse_args()

# Use CUDA
os.environ['CUDA_VISIBLE_DEVICES'] = args.gpu_id
use_cuda = torch.cuda.is_available()
