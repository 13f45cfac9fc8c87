from engines import engine_for
from loaders import loader_for
from networks import Net
from options import read_options


def train(args):
    engine = engine_for(args, Net(), loader_for(args))
    engine.train()


if __name__ == "__main__":
    options = read_options()
    if options.mode == "train":
        train(options)
    else:
        raise ValueError(options.mode)
