"""A Trainer with its default optimizer."""
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


def main():
    args = TrainingArguments(output_dir="out", per_device_train_batch_size=8, fp16=True)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    trainer = Trainer(model=model, args=args, train_dataset=None)
    trainer.train()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
