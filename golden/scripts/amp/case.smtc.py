"""Mixed-precision training of a tiny U-Net that segments ellipses out of noise."""
import json
import time
from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


@dataclass
class Config:
    image_size: int = 16
    channels: int = 4
    epochs: int = 2
    batch_size: int = 8
    lr: float = 3e-3
    weight_decay: float = 1e-4
    num_workers: int = 0
    log_every: int = 4
    seed: int = 7
    checkpoint: str = "unet_amp.pth"


def make_split(n: int, cfg: Config, seed: int) -> TensorDataset:
    gen = torch.Generator().manual_seed(seed)
    ys, xs = torch.meshgrid(
        torch.arange(cfg.image_size, dtype=torch.float32),
        torch.arange(cfg.image_size, dtype=torch.float32),
        indexing="ij",
    )
    centre = 4 + 8 * torch.rand(n, 2, 1, 1, generator=gen)
    radius = 2 + 3 * torch.rand(n, 2, 1, 1, generator=gen)
    inside = ((ys - centre[:, 0]) / radius[:, 0]) ** 2 + ((xs - centre[:, 1]) / radius[:, 1]) ** 2 < 1.0
    masks = inside.float().unsqueeze(1)
    images = masks + 0.5 * torch.randn(n, 1, cfg.image_size, cfg.image_size, generator=gen)
    return TensorDataset(images, masks)


def block(c_in: int, c_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.SiLU())


class TinyUNet(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.enc1 = block(1, c)
        self.enc2 = block(c, 2 * c)
        self.pool = nn.AvgPool2d(2)
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.dec1 = block(2 * c, c)
        self.head = nn.Conv2d(c, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skip = self.enc1(x)
        deep = self.enc2(self.pool(skip))
        return self.head(self.dec1(torch.cat([skip, self.up(deep)], dim=1)))


def dice(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    pred = (logits > 0).float()
    return (2 * (pred * masks).sum() + 1.0) / (pred.sum() + masks.sum() + 1.0)


@torch.no_grad()
def validate(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    scores = []
    for images, masks in loader:
        with autocast():
            logits = model(images)
        scores.append(dice(logits, masks).item())
    return sum(scores) / len(scores)


def main() -> None:
    cfg = Config()
    print(json.dumps(asdict(cfg)))
    torch.manual_seed(cfg.seed)
    xm.set_rng_state(int(cfg.seed))

    device = xm.xla_device()
    train_loader = DataLoader(
        make_split(64, cfg, seed=10), batch_size=cfg.batch_size, shuffle=True,
        num_workers=cfg.num_workers, drop_last=True,
    )
    train_loader = pl.MpDeviceLoader(train_loader, device)
    val_loader = DataLoader(make_split(16, cfg, seed=11), batch_size=cfg.batch_size)
    val_loader = pl.MpDeviceLoader(val_loader, device)

    model = TinyUNet(cfg.channels).to(device)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = syncfree.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    scaler = GradScaler()

    def log_step(step, loss):
        print(f"epoch {epoch} step {step + 1}/{len(train_loader)} loss {loss.item():.4f}")

    for epoch in range(cfg.epochs):
        model.train()
        xm.mark_step()
        xm.wait_device_ops()
        tic = time.time()
        seen = 0

        for step, (images, masks) in enumerate(train_loader):
            optimizer.zero_grad(set_to_none=True)
            with autocast():
                logits = model(images)
                loss = criterion(logits, masks)

            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

            seen += images.size(0)
            if (step + 1) % cfg.log_every == 0:
                xm.add_step_closure(log_step, args=(step, loss.detach()))

        xm.mark_step()
        xm.wait_device_ops()
        rate = seen / (time.time() - tic)
        peak = ((xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024) / 2**20
        print(f"epoch {epoch}: {rate:.0f} images/s, peak memory {peak:.1f} MiB, dice {validate(model, val_loader):.3f}")

    xm.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()},
        cfg.checkpoint,
    )


if __name__ == "__main__":
    main()
