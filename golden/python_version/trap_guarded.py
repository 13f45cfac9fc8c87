import sys
from typing import TYPE_CHECKING

import torch

try:
    from typing import Self
except ImportError:
    from typing_extensions import Self

try:
    from collections.abc import Iterable
except ImportError:
    from collections import Iterable

try:
    import tomllib
except ModuleNotFoundError:
    tomllib = None

if sys.version_info >= (3, 10):
    from itertools import pairwise
else:
    from more_itertools import pairwise

if TYPE_CHECKING:
    from typing import TypeAlias

model = torch.nn.Linear(4, 2).cuda()
