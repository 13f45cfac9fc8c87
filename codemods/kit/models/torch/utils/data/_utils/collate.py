"""torch.utils.data._utils.collate."""

from torch.utils.data import default_collate
