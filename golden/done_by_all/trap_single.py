import shutil

import torch

if input("Overwrite? ") == "y":
    shutil.rmtree("runs")
model = torch.nn.Linear(2, 2).cuda()
