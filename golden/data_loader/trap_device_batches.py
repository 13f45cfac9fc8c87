"""A loader made elsewhere whose batches nothing moves hands them out on the device."""
import torch


def train(model, train_iter, optimizer):
    model.train()
    for data, target in train_iter:
        optimizer.zero_grad()
        model(data, target).mean().backward()
        optimizer.step()


def evaluate(model, eval_iter):
    model.eval()
    with torch.no_grad():
        for i, (data, target) in enumerate(eval_iter):
            model(data, target)


device = torch.device("cuda")
corpus = get_corpus()
model = get_model().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, corpus.get_iterator("train", 64, device=device), optimizer)
evaluate(model, corpus.get_iterator("valid", 64, device=device))
