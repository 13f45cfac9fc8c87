"""What is only read may be read by all."""
import torch

model = torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda())
with open("classes.txt") as file:
    classes = file.read().split()
with open("mean.bin", "rb") as file:
    mean = file.read()
