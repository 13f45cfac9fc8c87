from transformers import HfArgumentParser, Trainer, TrainingArguments


def main():
    parser = HfArgumentParser(TrainingArguments)
    training_args, = parser.parse_args_into_dataclasses()
    Trainer(args=training_args).train()


if __name__ == "__main__":
    main()
