import torch.nn as nn

model = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
for x in loader:
    model(x).backward()
    if x:
        # forward only
        y = model(x)
        # done
