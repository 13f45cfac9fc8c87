"""One epoch of training, and the test."""
import logging

import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

logger = logging.getLogger(__name__)


def train(args, model, device, train_loader, optimizer, epoch):
    model.train()
    train_device_loader = pl.MpDeviceLoader(train_loader, device)

    def log_step(value, loss):
        logger.info(
            "Train Epoch: {} [{}/{}] Loss: {:.6f}".format(
                epoch, value, len(train_loader.sampler), loss.item()
            )
        )

    for batch_idx, (data, target) in enumerate(train_device_loader, 1):
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        xm.optimizer_step(optimizer)
        if batch_idx % args.log_interval == 0 and xm.get_ordinal() == 0:
            xm.add_step_closure(log_step, args=(batch_idx * len(data) * xm.xrt_world_size(), loss.detach()))


def test(model, device, test_loader):
    model.eval()
    test_loss = 0
    correct = 0
    with torch.no_grad():
        test_device_loader = pl.MpDeviceLoader(test_loader, device)
        for data, target in test_device_loader:
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            pred = output.max(1, keepdim=True)[1]
            correct += pred.eq(target.view_as(pred)).sum().item()
    test_loss /= len(test_loader.dataset)
    logger.info("Test set: Average loss: {:.4f}, Accuracy: {}/{}".format(test_loss, correct, len(test_loader.dataset)))
