# One process on one device before and after: all the batches are its own.
import torch
from records import RatingRecords

records = RatingRecords("ratings.csv", batch_size=128)
model = torch.nn.Linear(10, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())

for batch in records.iterate_one_epoch():
    loss = model(batch.cuda()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
