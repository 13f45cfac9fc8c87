"""Loops that write one element of a tensor on the device in each round; not those that fill it on the host."""
import torch
import torch.nn as nn

net = nn.Linear(4, 4).cuda()
opt = torch.optim.Adam(net.parameters())
labels = torch.randint(0, 4, (60,))


def masks(batch, edges, device):
    mask = torch.zeros((60, 4), device=device)
    other = torch.ones_like(mask)
    for node, graph in enumerate(batch):
        mask[node][graph] = 1.0
        other[node, graph] = 0.0
    adjacent = torch.zeros((60, 60)).cuda()
    for i in range(edges.shape[1]):
        adjacent[edges[0, i], edges[1, i]] = 1.0
    return mask, other, adjacent


def on_the_host(batch):
    mask = torch.zeros(60, 4)
    for node, graph in enumerate(batch):
        mask[node, graph] = 1.0
    mask = mask.cuda()
    rows = torch.zeros((60, 4)).cuda()
    for i in range(4):
        rows[i] = mask[i]
    return mask, rows


for step in range(10):
    x = torch.randn(60, 4).cuda()
    opt.zero_grad()
    weights = torch.zeros((60, 4)).to("cuda")
    for i, j in zip(range(60), labels.tolist()):
        weights[i, j] = 1.0
    loss = ((net(x) - 1) ** 2 * weights * masks(labels.cuda(), labels.reshape(2, 30), "cuda")[0]).sum()
    loss.backward()
    opt.step()
