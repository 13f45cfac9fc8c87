import torch
from torch_xla.amp import GradScaler

scaler = GradScaler(enabled=True) if args.amp else None  # only with --amp
if isinstance(scaler, GradScaler):
    print(scaler.get_scale())
