from transformers import Trainer, TrainingArguments

args = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=8,
    fp16=True,
    optim="adamw_torch_xla",
)
trainer = Trainer(model=model, args=args, train_dataset=data)
trainer.train()
