from engine import Trainer
from options import Options

options = Options()
opts = options.parse()


if __name__ == "__main__":
    Trainer(opts).train()
