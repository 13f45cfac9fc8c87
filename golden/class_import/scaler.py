"""torch_xla 2.x trains without a gradient scaler: there it is left to another codemod."""
import torch_xla.amp.GradScaler as grad_scaler

scaler = grad_scaler()
