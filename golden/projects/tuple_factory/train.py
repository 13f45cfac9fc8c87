"""A factory gives optimizer, scaler and scheduler at once, and a nested function is the step."""
import copy
import os

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from helper import init_opt, load_checkpoint


def main(use_bfloat16=False, resume="", epochs=2):
    torch.manual_seed(0)
    if not torch.cuda.is_available():
        device = torch.device("cpu")
    else:
        device = torch.device("cuda:0")
        torch.cuda.set_device(device)
    encoder = torch.nn.Linear(6, 4).to(device)
    predictor = torch.nn.Linear(4, 4).to(device)
    target_encoder = copy.deepcopy(encoder)
    data = TensorDataset(torch.randn(32, 6, generator=torch.Generator().manual_seed(1)))
    loader = DataLoader(data, batch_size=8, drop_last=True, pin_memory=True)
    optimizer, scaler, scheduler = init_opt(encoder, predictor, lr=0.01, use_bfloat16=use_bfloat16)
    start_epoch = 0
    if os.path.exists(resume):
        encoder, predictor, optimizer, scaler, start_epoch = load_checkpoint(
            resume, encoder, predictor, optimizer, scaler)

    for epoch in range(start_epoch, epochs):
        for itr, (imgs,) in enumerate(loader):
            imgs = imgs.to(device, non_blocking=True)

            def train_step():
                lr = scheduler.step()
                with torch.cuda.amp.autocast(dtype=torch.bfloat16, enabled=use_bfloat16):
                    with torch.no_grad():
                        h = F.layer_norm(target_encoder(imgs), (4,))
                    loss = F.smooth_l1_loss(predictor(encoder(imgs)), h)
                if use_bfloat16:
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    loss.backward()
                    optimizer.step()
                optimizer.zero_grad()
                with torch.no_grad():
                    for q, k in zip(encoder.parameters(), target_encoder.parameters()):
                        k.data.mul_(0.99).add_(0.01 * q.detach().data)
                return float(loss), lr

            loss, lr = train_step()
            print(f"epoch {epoch} step {itr} loss {loss:.5f} lr {lr:.4f}")


if __name__ == "__main__":
    main()
