import torch


class Batch:
    def cuda(self):
        self.x = self.x.cuda()
        return self


model = torch.nn.Linear(2, 2).cuda()
for batch in batches:
    batch = batch.cuda()
    model(batch.x)
