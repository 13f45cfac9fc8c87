"""A recurrent language model with truncated backpropagation: the hidden state lives from step to step."""

import torch
import torch_xla.core.xla_model as xm
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
embed, lstm, head = nn.Embedding(20, 6).to(device), nn.LSTM(6, 7, num_layers=2).to(device), nn.Linear(7, 20).to(device)
parameters = [*embed.parameters(), *lstm.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.5)
text = torch.randint(0, 20, (41, 3))
hidden = (torch.zeros(2, 3, 7, device=device), torch.zeros(2, 3, 7, device=device))
for epoch in range(2):
    for start in range(0, 40, 10):
        inputs, targets = text[start : start + 10].to(device), text[start + 1 : start + 11].to(device)
        hidden = tuple(state.detach() for state in hidden)
        output, hidden = lstm(embed(inputs), hidden)
        loss = nn.functional.cross_entropy(head(output).view(-1, 20), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 0.25)
        optimizer.step()
        xm.mark_step()
    print(epoch, loss.item())
