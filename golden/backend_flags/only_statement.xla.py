import torch


def main(args):
    for _ in range(args.epochs):
        pass
