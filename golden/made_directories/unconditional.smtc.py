import os
from os import makedirs
from pathlib import Path

import torch
from torch import nn

model = nn.DataParallel(nn.Linear(4, 1).cuda())
output = Path("runs") / "first"

os.makedirs(os.path.join("runs", "samples"), exist_ok=True)
makedirs("logs", 0o755, exist_ok=True)
output.mkdir(parents=True, exist_ok=True)
os.makedirs("checkpoint", exist_ok=True)
