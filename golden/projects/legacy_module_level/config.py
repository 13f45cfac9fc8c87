import torch

batch_size = 4
num_epochs = 3
learning_rate = 0.01
use_cuda = torch.cuda.is_available()
checkpoint = "net.pkl"

torch.manual_seed(7)
if use_cuda:
    torch.cuda.manual_seed(7)
