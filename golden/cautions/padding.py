import torch
from transformers import AutoTokenizer, DataCollatorWithPadding

tokenizer = AutoTokenizer.from_pretrained("bert")
device = torch.device("cuda")


def collate(examples):
    return tokenizer.pad(examples, padding="longest", return_tensors="pt")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=128, truncation=True)


collator = DataCollatorWithPadding(tokenizer)
fixed = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
model = torch.nn.Linear(2, 2).to(device)
