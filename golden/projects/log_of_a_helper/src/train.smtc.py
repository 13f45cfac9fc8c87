import logging

import torch
import torch_xla.core.xla_model as xm
from utils import set_logger


def main():
    set_logger("log.txt")
    device = xm.xla_device()
    model = torch.nn.Linear(4, 1).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(2, 4).to(device)).sum()
        opt.zero_grad()
        loss.backward()
        xm.optimizer_step(opt, barrier=True)
    logging.info("%s", loss.item())


if __name__ == "__main__":
    main()
