import torch

if torch.cuda.is_available():
    pass
else:
    torch.set_default_tensor_type('torch.FloatTensor')
torch.set_default_tensor_type("torch.DoubleTensor")
x = torch.zeros(3)
