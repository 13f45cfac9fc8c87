import subprocess

import torch

print(torch.cuda.device_count())
for name in ("a", "b"):
    subprocess.run(["tar", "xf", name])
