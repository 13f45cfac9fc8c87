"""Its wrapper averages gradients as torch's own does."""

from torch.nn import DistributedDataParallel
