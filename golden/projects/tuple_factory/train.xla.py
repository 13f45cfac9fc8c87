"""A factory gives optimizer, scaler and scheduler at once, and a nested function is the step."""
import copy
import os

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from helper import init_opt, load_checkpoint


def main(use_bfloat16=False, resume="", epochs=2):
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    encoder = torch.nn.Linear(6, 4).to(device)
    predictor = torch.nn.Linear(4, 4).to(device)
    target_encoder = copy.deepcopy(encoder)
    data = TensorDataset(torch.randn(32, 6, generator=torch.Generator().manual_seed(1)))
    loader = DataLoader(data, batch_size=8, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    optimizer, scaler, scheduler = init_opt(encoder, predictor, lr=0.01, use_bfloat16=use_bfloat16)
    start_epoch = 0
    if os.path.exists(resume):
        encoder, predictor, optimizer, scaler, start_epoch = load_checkpoint(
            resume, encoder, predictor, optimizer, scaler)

    for epoch in range(start_epoch, epochs):
        for itr, (imgs,) in enumerate(loader):
            def train_step():
                lr = scheduler.step()
                with torch.autocast("xla", dtype=torch.bfloat16, enabled=use_bfloat16):
                    with torch.no_grad():
                        h = F.layer_norm(target_encoder(imgs), (4,))
                    loss = F.smooth_l1_loss(predictor(encoder(imgs)), h)
                loss.backward()
                xm.optimizer_step(optimizer)
                optimizer.zero_grad()
                with torch.no_grad():
                    for q, k in zip(encoder.parameters(), target_encoder.parameters()):
                        k.data.mul_(0.99).add_(0.01 * q.detach().data)
                return float(loss), lr

            loss, lr = train_step()
            print(f"epoch {epoch} step {itr} loss {loss:.5f} lr {lr:.4f}")


if __name__ == "__main__":
    main()
