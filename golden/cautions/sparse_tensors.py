import torch
import torch.nn as nn


def normalized(rows, columns, values, shape):
    indices = torch.stack([rows, columns])
    return torch.sparse.FloatTensor(indices, values, torch.Size(shape)).cuda()


def attention(edges, weights, n):
    adjacency = torch.sparse_coo_tensor(edges, weights, (n, n)).cuda()
    return torch.sparse.mm(adjacency, torch.ones(n, 1).cuda()), adjacency.to_dense().to_sparse()


table = nn.Embedding(10, 4, sparse=True).cuda()
plain = nn.Embedding(10, 4, sparse=False).cuda()
