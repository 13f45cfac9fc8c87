import logging

import torch
from utils import set_logger


def main():
    set_logger("log.txt")
    model = torch.nn.Linear(4, 1).cuda()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(2, 4).cuda()).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    logging.info("%s", loss.item())


if __name__ == "__main__":
    main()
