import argparse

import torch
import torch_xla

from networks import Sampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=777)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)
    print(Sampler().sample(4))


if __name__ == "__main__":
    main()
