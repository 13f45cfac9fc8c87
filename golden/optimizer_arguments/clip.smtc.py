from torch import inf
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

clip_grad_norm_(model.parameters(), 1.0)
clip_grad_value_(model.parameters(), clip_value=0.5)
norm = clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
clip_grad_norm_(model.parameters(), 1.0, float("inf"))
clip_grad_norm_(model.parameters(), 1.0, norm_type=inf)
