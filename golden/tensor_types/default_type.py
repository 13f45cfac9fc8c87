import torch

if torch.cuda.is_available():
    torch.set_default_tensor_type('torch.cuda.FloatTensor')
else:
    torch.set_default_tensor_type('torch.FloatTensor')
torch.set_default_tensor_type(torch.cuda.DoubleTensor)
x = torch.zeros(3)
