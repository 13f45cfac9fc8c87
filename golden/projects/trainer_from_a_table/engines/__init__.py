from .reconstruction import Reconstruction
from .regression import Regression

ENGINES = {Regression.code(): Regression, Reconstruction.code(): Reconstruction}


def engine_for(args, model, loader):
    engine = ENGINES[args.engine]
    return engine(args, model, loader)
