import torch
import torch_xla


class Trainer:
    def __init__(self, model, lr):
        self.model = model.cuda()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    def _run_batch(self, source, targets):
        self.optimizer.zero_grad()
        output = self.model(source)
        loss = torch.nn.functional.cross_entropy(output, targets)
        loss.backward()
        self.optimizer.step()

    def _run_epoch(self, epoch):
        for i in range(100):
            source, targets = self.sample(i)
            self._run_batch(source.cuda(), targets.cuda())
            torch_xla.sync()
