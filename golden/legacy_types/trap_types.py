import torch

x = torch.ones(2).cuda()
y = torch.Tensor([1.0], device="cpu")
z = torch.tensor([1.0], device=x.device)
kind = x.dtype
print(x.type(), z.type(torch.float32), z.type(kind), type(x.type()), x.type() == z.type())
