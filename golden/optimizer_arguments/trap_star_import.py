from torch.optim import *

optimizer = SGD(model.parameters(), lr=0.1, foreach=True)
if fast: optimizer = Adam(model.parameters(), fused=True)
