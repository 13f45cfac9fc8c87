"""CPU types, a user's own torch.cuda-like names, and texts."""
import torch


class cuda:
    FloatTensor = list


x = torch.FloatTensor(3)
y = cuda.FloatTensor([1])
z = x.type(torch.LongTensor)
print("torch.cuda.FloatTensor is a type", x.type() == "torch.FloatTensor", y, z)
