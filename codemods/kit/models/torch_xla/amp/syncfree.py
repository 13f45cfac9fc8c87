"""torch_xla.amp.syncfree."""

from torch.optim import SGD, Adam, AdamW
