import torch

optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=False, foreach=None)
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, 2.0, error_if_nonfinite=False)
