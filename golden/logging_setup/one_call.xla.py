import logging
from logging import INFO, basicConfig as configure

import torch


def set_up(path):
    configure(
        format="%(asctime)s %(message)s",
        level=INFO,
        filename=path,
        filemode="w",
        force=True,
    )
    console = logging.StreamHandler()
    logging.getLogger("").addHandler(console)


def main():
    set_up("train.log")
    model = torch.nn.Linear(4, 1).cuda()
    logging.info("parameters: %d", sum(p.numel() for p in model.parameters()))


if __name__ == "__main__":
    main()
