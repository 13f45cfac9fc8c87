import argparse
import os

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_gpus", type=int, default=1)
    parser.add_argument("--name", type=str, default="x")
    args = parser.parse_args()
    os.environ["GPU_NUM_DEVICES"] = str(args.n_gpus)
    os.environ["NAME"] = args.name
