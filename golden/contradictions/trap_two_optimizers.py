"""Two kinds of optimizers are both optimizers."""
import torch


def advance(optimizer):
    optimizer.step()
    optimizer.zero_grad()


encoder, decoder = torch.nn.Linear(2, 2).cuda(), torch.nn.Linear(2, 2).cuda()
first = torch.optim.Adam(encoder.parameters())
second = torch.optim.SGD(decoder.parameters(), lr=0.1)
decoder(encoder(torch.ones(2).cuda())).sum().backward()
advance(first)
advance(second)
