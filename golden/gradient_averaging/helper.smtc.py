import torch


def run(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()
