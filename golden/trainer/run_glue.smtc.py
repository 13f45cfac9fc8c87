from transformers import HfArgumentParser, Trainer, TrainingArguments


def main():
    parser = HfArgumentParser(TrainingArguments)
    training_args, = parser.parse_args_into_dataclasses()
    Trainer(args=training_args).train()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
