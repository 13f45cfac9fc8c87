import unittest

import torch
from torch import nn


class NetTest(unittest.TestCase):
    def test_parallel(self):
        net = nn.DataParallel(nn.Linear(2, 2)).cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 2)))
        for (x,) in loader:
            net(x.cuda()).sum().backward()
            optimizer.step()


if __name__ == "__main__":
    unittest.main()
