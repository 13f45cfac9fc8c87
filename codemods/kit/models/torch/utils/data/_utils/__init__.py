"""torch.utils.data._utils, of which programs take `collate.default_collate`."""

from . import collate
