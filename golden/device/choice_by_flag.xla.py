import argparse

import torch
import torch.nn as nn
import torch_xla


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true", default=False)
    args = parser.parse_args()
    use_cuda = not args.no_cuda and torch.cuda.is_available()

    torch.manual_seed(1)

    # where to train
    device = torch_xla.device()

    kwargs = {"num_workers": 1} if use_cuda else {}
    model = nn.Linear(4, 2).to(device)
    print(f"on {device} with cuda={use_cuda}", kwargs)
    return model


if __name__ == "__main__":
    main()
