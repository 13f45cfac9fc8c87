import numpy as np
import torch
from torch.autograd import Variable
import torch_xla

cuda = True if torch.cuda.is_available() else False

device = torch_xla.device()
Tensor = lambda *args: torch.FloatTensor(*args).to(device)
LongTensor = lambda *args: torch.LongTensor(*args).to(device)


def sample(imgs, labels, generator, latent_dim):
    valid = Variable(Tensor(imgs.size(0), 1).fill_(1.0), requires_grad=False)
    real = Variable(imgs.to(device=device, dtype=torch.float32))
    gen_labels = Variable(labels.to(device=device, dtype=torch.int64))
    z = Variable(Tensor(np.random.normal(0, 1, (imgs.shape[0], latent_dim))))
    return valid, real, gen_labels, generator(z)
