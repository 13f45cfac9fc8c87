import math
import sys

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import autocast

import util.misc as misc
import util.lr_sched as lr_sched


def train_one_epoch(model, data_loader, optimizer, device, epoch, loss_scaler, clip_grad=None, args=None):
    model.train(True)
    metric_logger = misc.MetricLogger(delimiter="  ")
    header = "Epoch: [{}]".format(epoch)
    optimizer.zero_grad()
    data_loader = pl.MpDeviceLoader(data_loader, device)
    for data_iter_step, (samples, targets) in enumerate(metric_logger.log_every(data_loader, 2, header)):
        if data_iter_step % args.accum_iter == 0:
            lr_sched.adjust_learning_rate(optimizer, data_iter_step / len(data_loader) + epoch, args)
        with autocast():
            loss = torch.nn.functional.mse_loss(model(samples), targets)
        loss_value = loss.item()
        if not math.isfinite(loss_value):
            print("Loss is {}, stopping training".format(loss_value))
            sys.exit(1)
        loss /= args.accum_iter
        loss_scaler(
            loss, optimizer, clip_grad=clip_grad, parameters=model.parameters(),
            update_grad=(data_iter_step + 1) % args.accum_iter == 0,
        )
        if (data_iter_step + 1) % args.accum_iter == 0:
            optimizer.zero_grad()
        loss_scale_value = loss_scaler.state_dict()["scale"]
        xm.mark_step()
        xm.wait_device_ops()
        if loss_scale_value > 0:
            metric_logger.update(loss=loss_value)
        metric_logger.update(lr=optimizer.param_groups[0]["lr"])
    metric_logger.synchronize_between_processes()
    return {k: meter.global_avg for k, meter in metric_logger.meters.items()}


@torch.no_grad()
def evaluate(data_loader, model, device):
    metric_logger = misc.MetricLogger(delimiter="  ")
    model.eval()
    data_loader = pl.MpDeviceLoader(data_loader, device)
    for samples, targets in metric_logger.log_every(data_loader, 2, "Test:"):
        with autocast():
            loss = torch.nn.functional.mse_loss(model(samples), targets)
        metric_logger.update(loss=loss.item())
    metric_logger.synchronize_between_processes()
    return {k: meter.global_avg for k, meter in metric_logger.meters.items()}
