"""Its wrapper."""

from . import distributed
from torch.nn import DistributedDataParallel
