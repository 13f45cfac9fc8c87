import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl
from tqdm.auto import tqdm

device = torch.device("cuda")
model = build_model().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
train_dataloader = DataLoader(train_set, shuffle=True, batch_size=8, collate_fn=collate)
train_dataloader = pl.MpDeviceLoader(train_dataloader, device)
eval_dataloader = DataLoader(eval_set, batch_size=8, collate_fn=collate)
eval_dataloader = pl.MpDeviceLoader(eval_dataloader, device)

for epoch in range(3):
    model.train()
    for step, batch in enumerate(tqdm(train_dataloader)):
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    model.eval()
    for batch in eval_dataloader:
        with torch.no_grad():
            outputs = model(**batch)
        metric.add_batch(predictions=outputs.logits.argmax(-1).cpu().numpy(), references=batch["labels"].cpu().numpy())
