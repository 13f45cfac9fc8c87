import torch

USE_CUDA = False  # the laptop has none
no_cuda = True
fast = True
use_gpu = False and torch.cuda.is_available()
later = False
later = torch.cuda.is_available()

device = torch.device("cuda" if USE_CUDA else "cpu")
if not no_cuda:
    side = torch.device("cuda")
else:
    side = torch.device("cpu")
other = "cpu" if not use_gpu else "cuda"

model = torch.nn.Linear(2, 2)
if USE_CUDA:
    model = model.cuda()
if fast:
    model = model.cuda()
if later:
    model = model.cuda()
if USE_CUDA:
    print("on the GPU")
