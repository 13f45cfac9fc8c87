from torch.utils.data import *
if fast: loader = DataLoader(dataset, 8, pin_memory=True) # fast
