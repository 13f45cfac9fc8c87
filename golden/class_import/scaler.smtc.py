"""torch_xla 2.x trains without a gradient scaler: there it is left to another codemod."""
from torch_xla.amp import GradScaler as grad_scaler

scaler = grad_scaler()
