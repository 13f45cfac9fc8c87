import subprocess

import torch

folds = 5
for fold in range(folds):
    subprocess.run(["python", "train.py", "--fold", str(fold)])
print(torch.cuda.device_count())
