from torch_xla.amp import GradScaler

scaler = GradScaler()
