import torch
import torch_xla.core.xla_model as xm

batch_size = 4
num_epochs = 3
learning_rate = 0.01
use_cuda = True
checkpoint = "net.pkl"

torch.manual_seed(7)
if use_cuda:
    xm.set_rng_state(7)
