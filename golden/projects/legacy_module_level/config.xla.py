import torch
import torch_xla

batch_size = 4
num_epochs = 3
learning_rate = 0.01
use_cuda = True
checkpoint = "net.pkl"

torch.manual_seed(7)
if use_cuda:
    torch_xla.manual_seed(7)
