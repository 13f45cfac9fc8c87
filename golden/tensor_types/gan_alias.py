import numpy as np
import torch
from torch.autograd import Variable

cuda = True if torch.cuda.is_available() else False

Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
LongTensor = torch.cuda.LongTensor if cuda else torch.LongTensor


def sample(imgs, labels, generator, latent_dim):
    valid = Variable(Tensor(imgs.size(0), 1).fill_(1.0), requires_grad=False)
    real = Variable(imgs.type(Tensor))
    gen_labels = Variable(labels.type(LongTensor))
    z = Variable(Tensor(np.random.normal(0, 1, (imgs.shape[0], latent_dim))))
    return valid, real, gen_labels, generator(z)
