from transformers import HfArgumentParser, Trainer, TrainingArguments


def main():
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    model_args, training_args = parser.parse_args_into_dataclasses()
    Trainer(model=make(model_args), args=training_args).train()
