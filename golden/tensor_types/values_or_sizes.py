import numpy as np
import torch


class PCA:
    def __init__(self, dim):
        self.dim = dim

    def fit(self, x):
        mean = x.mean(axis=0)
        self.mean = mean
        self.dvt = np.linalg.svd(x - mean)[2][: self.dim]

    def apply(self, x, scale):
        x = x - torch.cuda.FloatTensor(self.mean)
        weights = torch.cuda.FloatTensor(scale)
        return torch.mm(torch.cuda.FloatTensor(self.dvt), x.t()) * weights


count = 3
noise = torch.cuda.FloatTensor(count)
