import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

import utils


def train_one_epoch(model, criterion, optimizer, data_loader, lr_scheduler, device, epoch, print_freq, scaler=None):
    model.train()
    data_loader = pl.MpDeviceLoader(data_loader, device)

    def log_step(i, loss, lr):
        print(f"Epoch: [{epoch}] [{i}/{len(data_loader)}] loss {loss.item():.4f} lr {lr:.5f}")

    for i, (image, target) in enumerate(data_loader):
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=scaler is not None):
            output = model(image)
            loss = criterion(output, target)

        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)

        lr_scheduler.step()
        if i % print_freq == 0 and utils.is_main_process():
            xm.add_step_closure(log_step, args=(i, loss.detach(), optimizer.param_groups[0]['lr']))


def evaluate(model, data_loader, device, num_classes):
    model.eval()
    confmat = utils.ConfusionMatrix(num_classes)
    num_processed_samples = 0
    with torch.no_grad():
        data_loader = pl.MpDeviceLoader(data_loader, device)
        for image, target in data_loader:
            output = model(image)
            output = output["out"]

            confmat.update(target.flatten(), output.argmax(1).flatten())
            num_processed_samples += image.shape[0]
        confmat.reduce_from_all_processes()

    num_processed_samples = utils.reduce_across_processes(num_processed_samples)
    return confmat, int(num_processed_samples)
