# The batches come from a class of the project's own: no sampler can share them out.
import torch
from records import RatingRecords

records = RatingRecords("ratings.csv", batch_size=128)
model = torch.nn.DataParallel(torch.nn.Linear(10, 2)).cuda()
optimizer = torch.optim.Adam(model.parameters())

for epoch in range(10):
    for i, batch in enumerate(records.iterate_one_epoch()):
        loss = model(batch.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
