import argparse

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)


def train(args):
    detector = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    net = detector
    if args.cuda:
        net = nn.DataParallel(detector)
    if args.cuda:
        net = net.cuda()
    if not args.resume:
        print("initializing")
        detector[1].apply(weights_init)
        detector.apply(weights_init)
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.randn(3, 8, 4):
        optimizer.zero_grad()
        net(x.cuda()).sum().backward()
        optimizer.step()
