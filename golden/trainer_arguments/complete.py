from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

args = Seq2SeqTrainingArguments('out', dataloader_drop_last=True, adafactor=True)
Seq2SeqTrainer(model=model, args=args).train()
