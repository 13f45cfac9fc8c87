"""What trains imports nothing of torch: it is handed all of it."""


class Engine:
    def __init__(self, model, optimizer, use_gpu=True, weight=1.0):
        self.model, self.optimizer, self.use_gpu, self.weight = model, optimizer, use_gpu, weight

    def run(self, loader, epochs):
        for epoch in range(epochs):
            for data in loader:
                summary = self.forward_backward(data)
            print(epoch, summary)

    def forward_backward(self, data):
        inputs, targets = data
        if self.use_gpu:
            inputs = inputs.cuda()
            targets = targets.cuda()
        outputs = self.model(inputs)
        loss = 0
        if self.weight > 0:
            loss += self.weight * self.criterion(outputs, targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"loss": loss.item()}

    def criterion(self, outputs, targets):
        return (outputs - targets).pow(2).mean()
