from torch.optim import *

optimizer = SGD(model.parameters(), lr=0.1)
if fast: optimizer = Adam(model.parameters())
