from torch.utils.data import *
if fast: loader = DataLoader(dataset, 8) # fast
