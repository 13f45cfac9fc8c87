from transformers import Trainer, TrainingArguments

args = TrainingArguments("out", max_steps=1000, optim="adafactor")
Trainer(model=model, args=args).train()
