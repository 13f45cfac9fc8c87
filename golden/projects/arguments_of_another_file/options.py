import argparse


class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=0.1)

    def parse(self):
        self.options = self.parser.parse_args()
        return self.options
