"""The learning rate and the clock are taken when the step is recorded; a bare tensor is printed as such."""
import logging
import time

import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm

logger = logging.getLogger(__name__)


def train(args, model, dataset, criterion):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    start = time.time()

    def log_step(step, loss, lr, elapsed):
        logger.info("%d/%d loss %.4f lr %g after %.1f s", step, args.steps, loss.item(),
                    lr, elapsed)

    def log_step_2(last_lr, loss):
        print(f"{last_lr:.2e} {loss}")

    for step, (x, y) in enumerate(DataLoader(dataset)):
        outputs = model(x.cuda(), y.cuda())
        outputs.loss.backward()
        optimizer.step()
        xm.add_step_closure(
            log_step, args=(step, outputs.loss.detach(), optimizer.param_groups[0]["lr"], time.time() - start))
        scheduler.step()
        if step % 10 == 0: xm.add_step_closure(log_step_2, args=(scheduler.get_last_lr()[0], outputs.loss)); print(step)
