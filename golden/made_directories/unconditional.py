import os
from os import makedirs
from pathlib import Path

import torch
from torch import nn

model = nn.DataParallel(nn.Linear(4, 1).cuda())
output = Path("runs") / "first"

os.makedirs(os.path.join("runs", "samples"))
makedirs("logs", 0o755)
output.mkdir(parents=True)
os.mkdir("checkpoint")
