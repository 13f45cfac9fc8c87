import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Decoder(nn.Module):
    def forward(self, words, ratio):
        out = words[0]
        for t in range(1, words.size(0)):
            out = words[t] if random.random() < ratio else out.argmax(1)
        return out


class Trainer:
    def contrast(self, f):
        mask = torch.eye(len(f), dtype=torch.bool)
        return f[~mask].view(len(f), -1)

    def accuracy(self, scores):
        scores = scores.cpu().numpy()
        return scores[scores > 0].mean(), [1, 2][len(scores) > 3]

    def train(self, model, dataset, rays, optimizer):
        rays = torch.Tensor(rays).cuda()
        host = torch.Tensor(np.random.rand(100, 3))
        at = 0
        for x, valid in DataLoader(dataset, batch_size=8, collate_fn=collate):
            lower = model(x.cuda()).floor()
            lower[(lower > 0) * (lower == 1)] -= 1
            lower[lower > 3] = 3
            near, far = rays[at : at + 10], host[at : at + 10].cuda()
            at += 10
            loss = self.contrast(model(near)).mean() + far.mean() + lower[valid.cuda() >= 0.5].mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(self.accuracy(lower))


def collate(batch):
    longest = max(len(x) for x, _ in batch)
    return pad_sequence([x for x, _ in batch]), torch.zeros(len(batch), longest)
