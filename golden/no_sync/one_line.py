import torch.nn as nn

model = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
for x in loader:
    with model.no_sync(): model(x).backward()
    if x:
        with model.no_sync():
            # forward only
            y = model(x)
            # done
