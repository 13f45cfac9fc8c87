#!/usr/bin/env python
# coding=utf-8
""" Finetuning a pretrained encoder for sequence classification on CSV or JSON files (Bert, RoBERTa, DistilBERT)."""

import logging
import os
import sys
from dataclasses import dataclass, field
from typing import Optional

import numpy as np
import torch
import torch_xla.core.xla_model as xm
from datasets import load_dataset

import transformers
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EvalPrediction,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)
from transformers.trainer_utils import get_last_checkpoint

logger = logging.getLogger(__name__)


@dataclass
class DataTrainingArguments:
    """What to read, and how to cut it."""

    train_file: str = field(metadata={"help": "A csv or a json file with the columns `sentence` and `label`."})
    validation_file: str = field(metadata={"help": "A csv or a json file with the validation data."})
    max_seq_length: int = field(default=128, metadata={"help": "Longer sequences are truncated."})
    pad_to_max_length: bool = field(
        default=False, metadata={"help": "Pad all samples to `max_seq_length`, otherwise to the longest of the batch."}
    )
    max_train_samples: Optional[int] = field(default=None, metadata={"help": "Truncate the training set, to debug."})


@dataclass
class ModelArguments:
    """Which model to start from."""

    model_name_or_path: str = field(default="distilbert-base-uncased")
    cache_dir: Optional[str] = field(default=None)
    freeze_embeddings: bool = field(default=False)


def compute_metrics(p: EvalPrediction):
    preds = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
    preds = np.argmax(preds, axis=1)
    return {"accuracy": (preds == p.label_ids).astype(np.float32).mean().item()}


def main():
    parser = HfArgumentParser((ModelArguments, DataTrainingArguments, TrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        model_args, data_args, training_args = parser.parse_json_file(json_file=os.path.abspath(sys.argv[1]))
    else:
        model_args, data_args, training_args = parser.parse_args_into_dataclasses()

    logging.basicConfig(
        format="%(asctime)s - %(levelname)s - %(name)s - %(message)s",
        level=logging.INFO if training_args.local_rank in [-1, 0] else logging.WARN,
        force=True,
    )
    transformers.utils.logging.set_verbosity_info()
    logger.warning(
        f"Process rank: {training_args.local_rank}, device: {training_args.device}, n_gpu: {training_args.n_gpu}, "
        f"distributed training: {training_args.local_rank != -1}, 16-bits training: {training_args.fp16}"
    )

    last_checkpoint = None
    if os.path.isdir(training_args.output_dir) and training_args.do_train and not training_args.overwrite_output_dir:
        last_checkpoint = get_last_checkpoint(training_args.output_dir)

    # Set seed before initializing model.
    set_seed(training_args.seed)

    extension = data_args.train_file.split(".")[-1]
    raw_datasets = load_dataset(
        extension,
        data_files={"train": data_args.train_file, "validation": data_args.validation_file},
        cache_dir=model_args.cache_dir,
    )
    label_list = sorted(raw_datasets["train"].unique("label"))
    label_to_id = {label: i for i, label in enumerate(label_list)}

    config = AutoConfig.from_pretrained(model_args.model_name_or_path, num_labels=len(label_list))
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path, cache_dir=model_args.cache_dir)
    model = AutoModelForSequenceClassification.from_pretrained(model_args.model_name_or_path, config=config)
    if model_args.freeze_embeddings:
        for param in model.get_input_embeddings().parameters():
            param.requires_grad = False

    # We will pad later, dynamically at batch creation, unless asked otherwise
    padding = "max_length" if data_args.pad_to_max_length else False

    def preprocess_function(examples):
        result = tokenizer(
            examples["sentence"], padding=padding, max_length=data_args.max_seq_length, truncation=True
        )
        result["label"] = [label_to_id[label] for label in examples["label"]]
        return result

    with training_args.main_process_first(desc="dataset map pre-processing"):
        raw_datasets = raw_datasets.map(preprocess_function, batched=True, remove_columns=["sentence"])

    train_dataset = raw_datasets["train"]
    if data_args.max_train_samples is not None:
        train_dataset = train_dataset.select(range(data_args.max_train_samples))
    eval_dataset = raw_datasets["validation"]

    if data_args.pad_to_max_length:
        data_collator = default_data_collator
    elif training_args.fp16:
        data_collator = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
    else:
        data_collator = None

    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_dataset if training_args.do_train else None,
        eval_dataset=eval_dataset if training_args.do_eval else None,
        compute_metrics=compute_metrics,
        tokenizer=tokenizer,
        data_collator=data_collator,
    )

    device = xm.xla_device()
    if training_args.do_train:
        train_result = trainer.train(resume_from_checkpoint=last_checkpoint)
        metrics = train_result.metrics
        metrics["train_samples"] = len(train_dataset)
        metrics["train_peak_memory_mb"] = ((xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024) // 2**20

        trainer.save_model()  # Saves the tokenizer too for easy upload
        trainer.log_metrics("train", metrics)
        trainer.save_metrics("train", metrics)
        trainer.save_state()

    if training_args.do_eval:
        logger.info("*** Evaluate ***")
        metrics = trainer.evaluate(eval_dataset=eval_dataset)
        metrics["eval_samples"] = len(eval_dataset)
        trainer.log_metrics("eval", metrics)
        trainer.save_metrics("eval", metrics)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
