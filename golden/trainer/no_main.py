import transformers

trainer = transformers.Trainer(model=model)
trainer.train()
