import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
args, _ = parser.parse_known_args()


def _mp_fn(index):
    print(args.epochs)
