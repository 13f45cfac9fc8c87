import torch
from transformers import Trainer, TrainingArguments

args = TrainingArguments("out", dataloader_drop_last=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
Trainer(model=model, args=args, optimizers=(optimizer, None)).train()
