import os
from pathlib import Path

import torch

model = torch.nn.DataParallel(torch.nn.Linear(4, 1).cuda())
os.makedirs("done", exist_ok=True)
os.makedirs("done", 0o755, True)
Path("done").mkdir(parents=True, exist_ok=True)
