"""The learning rate and the clock are taken when the step is recorded; a bare tensor is printed as such."""
import logging
import time

import torch
from torch.utils.data import DataLoader

logger = logging.getLogger(__name__)


def train(args, model, dataset, criterion):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    start = time.time()
    for step, (x, y) in enumerate(DataLoader(dataset)):
        outputs = model(x.cuda(), y.cuda())
        outputs.loss.backward()
        optimizer.step()
        logger.info("%d/%d loss %.4f lr %g after %.1f s", step, args.steps, outputs.loss.item(),
                    optimizer.param_groups[0]["lr"], time.time() - start)
        scheduler.step()
        if step % 10 == 0: print(f"{scheduler.get_last_lr()[0]:.2e} {outputs.loss}"); print(step)
