import argparse

from torch import nn

from engines import make_engine
from feeds import make_feed


def run(args):
    engine = make_engine(args, nn.Linear(4, 1), make_feed(args))
    engine.fit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", default="plain")
    parser.add_argument("--gpus", type=int, default=1)
    run(parser.parse_args())
