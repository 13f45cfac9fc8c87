import torch

if not torch.cuda.is_available():
    torch.set_default_tensor_type('torch.FloatTensor')
torch.set_default_tensor_type("torch.DoubleTensor")
x = torch.zeros(3)
