"""What is too long to be named is a file."""
import os

import torch

model = torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda())
open(os.path.join("results", "a_long_name_of_a_file", "results.txt"), "x").close()
