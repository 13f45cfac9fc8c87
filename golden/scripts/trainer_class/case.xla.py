"""House-price style regression on tabular features, with early stopping and a restartable trainer."""
from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

log = logging.getLogger("trainer")


@dataclass
class TrainerConfig:
    max_epochs: int = 4
    batch_size: int = 32
    learning_rate: float = 5e-3
    patience: int = 3
    grad_norm_clip: float = 1.0
    num_workers: int = 0
    ckpt_path: str = "tabular/last.pt"
    best_path: str = "tabular/best.pt"
    hidden: list[int] = field(default_factory=lambda: [32, 16])
    seed: int = 2023


class Houses(Dataset):
    N_REGIONS = 6

    def __init__(self, n: int = 160, seed: int = 0) -> None:
        gen = torch.Generator().manual_seed(seed)
        self.region = torch.randint(self.N_REGIONS, (n,), generator=gen)
        self.features = torch.randn(n, 5, generator=gen)
        bonus = torch.linspace(-1.0, 1.0, self.N_REGIONS)[self.region]
        self.price = (self.features @ torch.tensor([0.8, -0.4, 0.3, 0.0, 0.1]) + bonus).unsqueeze(1)
        self.price += 0.05 * torch.randn(n, 1, generator=gen)

    def __len__(self) -> int:
        return len(self.price)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"region": self.region[i], "features": self.features[i], "price": self.price[i]}


class PriceNet(nn.Module):
    def __init__(self, hidden: list[int]) -> None:
        super().__init__()
        self.region = nn.Embedding(Houses.N_REGIONS, 4)
        widths = [5 + 4, *hidden]
        layers: list[nn.Module] = []
        for a, b in zip(widths, widths[1:]):
            layers += [nn.Linear(a, b), nn.SiLU()]
        self.mlp = nn.Sequential(*layers, nn.Linear(widths[-1], 1))

    def forward(self, region: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        return self.mlp(torch.cat([features, self.region(region)], dim=1))


class Trainer:
    def __init__(self, model: nn.Module, train_set: Dataset, val_set: Dataset, config: TrainerConfig) -> None:
        self.config = config
        self.device = torch_xla.device()
        self.model = model.to(self.device)
        self.criterion = nn.SmoothL1Loss()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.learning_rate, weight_decay=1e-3)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=0.5, patience=1)
        self.train_loader = DataLoader(
            train_set,
            batch_size=config.batch_size,
            shuffle=True,
            num_workers=config.num_workers,
        )
        self.val_loader = DataLoader(val_set, batch_size=config.batch_size)
        self.epoch = 0
        self.best_loss = float("inf")
        self.bad_epochs = 0
        if os.path.exists(config.ckpt_path):
            self.load_checkpoint(config.ckpt_path)

    def _to_device(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {name: value.to(self.device, non_blocking=True) for name, value in batch.items()}

    def train_one_epoch(self) -> float:
        self.model.train()
        total, count = 0.0, 0
        for batch in pl.MpDeviceLoader(self.train_loader, self.device):
            batch = self._to_device(batch)
            prediction = self.model(batch["region"], batch["features"])
            loss = self.criterion(prediction, batch["price"])

            self.optimizer.zero_grad()
            loss.backward()
            xm.reduce_gradients(self.optimizer)
            nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_norm_clip)
            self.optimizer.step()
            torch_xla.sync()

            total += loss.item() * len(prediction)
            count += len(prediction)
        return total / count

    @torch.no_grad()
    def validate(self) -> float:
        self.model.eval()
        total, count = 0.0, 0
        for batch in pl.MpDeviceLoader(self.val_loader, self.device):
            batch = self._to_device(batch)
            prediction = self.model(batch["region"], batch["features"])
            total += self.criterion(prediction, batch["price"]).item() * len(prediction)
            count += len(prediction)
        return total / count

    def state(self) -> dict[str, Any]:
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epoch": self.epoch,
            "best_loss": self.best_loss,
        }

    def save_checkpoint(self, path: str) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        xm.save(self.state(), path)

    def load_checkpoint(self, path: str) -> None:
        checkpoint = torch.load(path, map_location="cpu")
        self.model.load_state_dict(checkpoint["model"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.epoch = checkpoint["epoch"]
        self.best_loss = checkpoint["best_loss"]
        log.info("loaded %s (epoch %d)", path, self.epoch)

    def fit(self) -> None:
        while self.epoch < self.config.max_epochs:
            started = time.perf_counter()
            train_loss = self.train_one_epoch()
            val_loss = self.validate()
            self.scheduler.step(val_loss)
            self.epoch += 1
            log.info("epoch %d: train %.4f val %.4f (%.1f ms)",
                     self.epoch, train_loss, val_loss, 1e3 * (time.perf_counter() - started))

            self.save_checkpoint(self.config.ckpt_path)
            if val_loss < self.best_loss:
                self.best_loss, self.bad_epochs = val_loss, 0
                self.save_checkpoint(self.config.best_path)
            else:
                self.bad_epochs += 1
                if self.bad_epochs >= self.config.patience:
                    log.info("no progress for %d epochs, stopping", self.bad_epochs)
                    break


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", force=True)
    config = TrainerConfig()
    torch.manual_seed(config.seed)
    torch_xla.manual_seed(int(config.seed))
    train_set, val_set = random_split(Houses(), [128, 32], generator=torch.Generator().manual_seed(1))
    trainer = Trainer(PriceNet(config.hidden), train_set, val_set, config)
    trainer.fit()

    trainer.load_checkpoint(config.best_path)
    log.info("best model: val loss %.4f", trainer.validate())


if __name__ == "__main__":
    main()
