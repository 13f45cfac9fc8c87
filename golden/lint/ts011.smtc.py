"""Batches as long as their longest sample."""
import torch
import torch_xla.core.xla_model as xm
from transformers import AutoTokenizer, DataCollatorWithPadding

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(batch):
    return tokenizer(batch["text"], padding="longest", truncation=True)


def encode2(batch):
    return tokenizer(batch["text"], padding=True, truncation=True)


collator = DataCollatorWithPadding(tokenizer)
device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
