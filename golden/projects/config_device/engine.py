import torch
import torch.nn.functional as F


def fit(net, loader, optimizer, config):
    for epoch in range(config.epochs):
        for features, labels in loader:
            features = features.to(config.device)
            labels = labels.to(config.device)
            optimizer.zero_grad()
            loss = F.cross_entropy(net(features), labels)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


def accuracy(net, loader, config):
    correct = torch.zeros(1, device=config.device)
    with torch.no_grad():
        for features, labels in loader:
            predicted = net(features.to(config.device)).argmax(dim=1)
            correct += (predicted == labels.to(config.device)).sum()
    return correct.item() / len(loader.dataset)
