import argparse


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="train")
    parser.add_argument("--engine", default="regression")
    parser.add_argument("--data", default="rows")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=64)
    return parser.parse_args()
