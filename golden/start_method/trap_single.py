import torch
import torch.multiprocessing as mp

mp.set_start_method("spawn")
model = torch.nn.Linear(2, 2).cuda()
