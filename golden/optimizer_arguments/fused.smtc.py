import torch
from torch.optim import Adam as A

optimizer = torch.optim.AdamW(
    model.parameters(),
    lr=1e-3,  # peak
)
second = A(model.parameters(), 1e-3)
third = torch.optim.SGD(model.parameters(), lr=0.1)
fourth = torch.optim.SGD(model.parameters(),
                         lr=0.1  # constant
                         )
