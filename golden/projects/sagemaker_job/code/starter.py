import subprocess
import sys

import torch

for rank in range(torch.cuda.device_count()):
    subprocess.Popen([sys.executable, "single.py", f"--rank={rank}"])
