import os  # fast
from torch_xla.amp.syncfree import AdamW
from torch_xla.distributed.parallel_loader import MpDeviceLoader as Loader

print(os.sep, AdamW, Loader)
