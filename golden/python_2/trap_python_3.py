import torch

for i in xrange(3):
    print(torch.zeros(i))
