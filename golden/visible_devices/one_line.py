import torch
from os import environ

if args.gpu: environ["CUDA_VISIBLE_DEVICES"] = args.gpu
else: environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
del environ["CUDA_VISIBLE_DEVICES"]
