import torch
from torch.autograd import Variable

x = Variable(torch.zeros(2).cuda(), requires_grad=True)
y = Variable(x.data, volatile=False)
