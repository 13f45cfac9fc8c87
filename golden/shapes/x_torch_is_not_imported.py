"""A subclass of a trainer of another file: torch is not imported, and yet it trains."""
from engines import Engine


class SoftmaxEngine(Engine):
    def __init__(self, model, optimizer, criterion, use_gpu=True):
        super().__init__(use_gpu)
        self.model = model
        self.optimizer = optimizer
        self.criterion = criterion

    def forward_backward(self, data):
        images, labels = self.parse(data)
        if self.use_gpu:
            images = images.cuda()
            labels = labels.cuda()
        loss = self.criterion(self.model(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"loss": loss.item()}
