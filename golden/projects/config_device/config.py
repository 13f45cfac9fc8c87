from dataclasses import dataclass


@dataclass
class TrainConfig:
    epochs: int = 2
    batch_size: int = 4
    lr: float = 0.1
    seed: int = 1
    device: str = "cuda"
