import argparse
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Exp:
    def __init__(self, args):
        self.args = args
        self.device = self._acquire_device()
        self.model = nn.Linear(4, 2).to(self.device)

    def _acquire_device(self):
        if self.args.use_gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = str(self.args.gpu)
            device = torch.device("cuda:{}".format(self.args.gpu))
            print("Use GPU: cuda:{}".format(self.args.gpu))
        else:
            device = torch.device("cpu")
            print("Use CPU")
        return device

    def train(self):
        loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
        optimizer = torch.optim.Adam(self.model.parameters())
        for epoch in range(self.args.epochs):
            for x, y in loader:
                optimizer.zero_grad()
                x, y = x.float().to(self.device), y.to(self.device)
                nn.functional.cross_entropy(self.model(x), y).backward()
                optimizer.step()


parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", type=bool, default=True)
parser.add_argument("--gpu", type=int, default=0)
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()
args.use_gpu = True if torch.cuda.is_available() and args.use_gpu else False
Exp(args).train()
