from transformers import HfArgumentParser, Trainer, TrainingArguments

args = TrainingArguments(**config["training"])
options = HfArgumentParser(ModelArguments).parse_args_into_dataclasses()
Trainer(model=model, args=args).train()
