from dataclasses import dataclass, field
from typing import Optional


@dataclass
class DataConfig:
    length: int = 40
    features: int = 5
    batch_size: int = 8
    num_workers: int = 0
    pin_memory: bool = True


@dataclass
class OptimConfig:
    name: str = "adam"
    lr: float = 0.01
    weight_decay: float = 0.0
    gamma: float = 0.9
    max_norm: Optional[float] = 1.0


@dataclass
class Config:
    epochs: int = 3
    save_period: int = 2
    save_dir: str = "saved"
    device: str = "cuda"
    seed: int = 11
    amp: bool = True
    resume: Optional[str] = None
    data: DataConfig = field(default_factory=DataConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
