import torch
import torch_xla


class Batch:
    def cuda(self):
        self.x = self.x.to(device)
        return self


device = torch_xla.device()
model = torch.nn.Linear(2, 2).to(device)
for batch in batches:
    batch = batch.cuda()
    model(batch.x)
