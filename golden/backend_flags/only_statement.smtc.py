import torch


def main(args):
    pass
