import numpy as np
import torch
from torch.cuda import FloatTensor as CudaFloat

values = [1, 2, 3]
a = torch.cuda.FloatTensor(3, 4)
b = torch.cuda.LongTensor([1, 2])
c = torch.cuda.LongTensor(values)
d = torch.cuda.ByteTensor(8).fill_(1)
e = torch.cuda.FloatTensor(np.zeros((2, 2)))
f = torch.cuda.HalfTensor(a.size(0), len(values)).normal_()
g = torch.cuda.FloatTensor()
h = CudaFloat(*a.shape)
i = torch.cuda.DoubleTensor(
    3,
    4,
)
