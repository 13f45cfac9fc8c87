from apex.optimizers import FusedAdam
from torch.optim.lr_scheduler import StepLR

from mine import AdamW, clip_grad_norm_

optimizer = AdamW(model.parameters(), fused=True)
other = FusedAdam(model.parameters(), capturable=True)
scheduler = StepLR(optimizer, 3)
clip_grad_norm_(model.parameters(), 1.0, foreach=True)
