import torch
from torch.optim import Adam as A

optimizer = torch.optim.AdamW(
    model.parameters(),
    lr=1e-3,  # peak
    fused=True,
)
second = A(model.parameters(), 1e-3, foreach=use_foreach, capturable=True)
third = torch.optim.SGD(model.parameters(), fused=torch.cuda.is_available(), lr=0.1)
fourth = torch.optim.SGD(model.parameters(),
                         lr=0.1,  # constant
                         fused=True)
