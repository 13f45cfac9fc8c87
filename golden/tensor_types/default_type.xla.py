import torch

if torch.cuda.is_available():
    torch.set_default_device("xla")
else:
    torch.set_default_tensor_type('torch.FloatTensor')
torch.set_default_dtype(torch.float64)
torch.set_default_device("xla")
x = torch.zeros(3)
