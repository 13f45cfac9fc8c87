import torch
from torch.utils.data import DataLoader, DataLoader as Loader
import torch.utils.data as data

train = DataLoader(
    train_set,
    batch_size=args.batch_size,
    shuffle=True,
    num_workers=4,
    pin_memory=True,
)
val = Loader(val_set, batch_size=1, pin_memory=torch.cuda.is_available(), pin_memory_device="cuda:0", shuffle=False)
test = data.DataLoader(test_set, 1, False, None, None, 2, None, True)
host = data.DataLoader(test_set, pin_memory=False)
only = data.DataLoader(test_set, pin_memory=True)
