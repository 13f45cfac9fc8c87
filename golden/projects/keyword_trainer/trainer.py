import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, *args, **kwargs):
        self.args = kwargs["args"]
        self.model = kwargs["model"].to(self.args.device)
        self.optimizer = kwargs.pop("optimizer", None)

    def train(self, loader):
        for images, labels in loader:
            images = images.to(self.args.device)
            labels = labels.to(self.args.device)
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(images), labels).backward()
            self.optimizer.step()
