#!/usr/bin/env python
"""
Sentence-pair classification with a small self-attention encoder.
fp16 (--no-fp16 to switch off), gradient accumulation, gradient clipping and
linear warmup/decay, so that a large effective batch fits on a small card.
"""
import argparse
import logging
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree

logger = logging.getLogger(__name__)

PAD, SEP = 0, 1


class PairDataset(Dataset):
    """Two token sequences; the label says whether the second one starts as the first one ends."""

    def __init__(self, size, vocab_size, max_length, seed):
        gen = torch.Generator().manual_seed(seed)
        half = (max_length - 1) // 2
        self.examples = []
        for _ in range(size):
            first = torch.randint(2, vocab_size, (half,), generator=gen)
            second = torch.randint(2, vocab_size, (half,), generator=gen)
            label = int(torch.randint(2, (1,), generator=gen))
            if label:
                second[0] = first[-1]
            input_ids = torch.full((max_length,), PAD, dtype=torch.long)
            input_ids[:2 * half + 1] = torch.cat([first, torch.tensor([SEP]), second])
            self.examples.append({
                "input_ids": input_ids,
                "attention_mask": (input_ids != PAD).long(),
                "labels": torch.tensor(label),
            })

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        return self.examples[index]


class Encoder(nn.Module):
    def __init__(self, vocab_size, max_length, dim=16, heads=2):
        super(Encoder, self).__init__()
        self.heads = heads
        self.tok = nn.Embedding(vocab_size, dim, padding_idx=PAD)
        self.pos = nn.Parameter(torch.zeros(1, max_length, dim))
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, 2)

    def forward(self, input_ids, attention_mask, labels=None):
        x = self.tok(input_ids) + self.pos
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // self.heads)
        scores = scores + (1.0 - attention_mask[:, None, None, :].to(scores.dtype)) * -1e4
        x = x + self.proj((F.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(B, T, C))
        logits = self.classifier(self.norm(x).mean(dim=1))
        loss = F.cross_entropy(logits, labels) if labels is not None else None
        return loss, logits


def evaluate(args, model, dataset):
    dataloader = DataLoader(dataset, sampler=SequentialSampler(dataset), batch_size=args.eval_batch_size)
    dataloader = pl.MpDeviceLoader(dataloader, args.device)
    model.eval()
    eval_loss, correct, n_steps = 0.0, 0, 0
    for batch in dataloader:
        with torch.no_grad(), autocast(enabled=args.fp16):
            loss, logits = model(**batch)
        eval_loss += loss.mean().item()
        correct += (logits.argmax(dim=-1) == batch["labels"]).sum().item()
        n_steps += 1
    return {"eval_loss": eval_loss / n_steps, "eval_acc": correct / len(dataset)}


def train(args, train_dataset, eval_dataset, model):
    train_dataloader = DataLoader(train_dataset, sampler=RandomSampler(train_dataset), batch_size=args.batch_size)
    train_dataloader = pl.MpDeviceLoader(train_dataloader, args.device)
    updates_per_epoch = math.ceil(len(train_dataloader) / args.gradient_accumulation_steps)
    t_total = updates_per_epoch * args.num_train_epochs

    no_decay = ["bias", "norm.weight"]
    grouped_parameters = [
        {"params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)], "weight_decay": args.weight_decay},
        {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = syncfree.AdamW(grouped_parameters, lr=args.learning_rate, eps=1e-6)

    def lr_lambda(current_step):
        if current_step < args.warmup_steps:
            return float(current_step + 1) / float(max(1, args.warmup_steps))
        return max(0.05, float(t_total - current_step) / float(max(1, t_total - args.warmup_steps)))

    scheduler = LambdaLR(optimizer, lr_lambda)
    scaler = GradScaler(enabled=args.fp16)

    logger.info("***** Running training *****")
    logger.info("  Num examples = %d, effective batch = %d, updates = %d",
                len(train_dataset), args.batch_size * args.gradient_accumulation_steps, t_total)

    global_step = 0
    tr_loss, logging_loss = 0.0, 0.0
    model.zero_grad()
    for epoch in range(args.num_train_epochs):
        for step, batch in enumerate(train_dataloader):
            model.train()
            with autocast(enabled=args.fp16):
                loss, _ = model(**batch)
                loss = loss / args.gradient_accumulation_steps

            scaler.scale(loss).backward()
            xm.mark_step()
            tr_loss += loss.item()

            if (step + 1) % args.gradient_accumulation_steps == 0 or (step + 1) == len(train_dataloader):
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                scaler.step(optimizer)
                scaler.update()
                scheduler.step()
                optimizer.zero_grad()
                global_step += 1

                if global_step % args.logging_steps == 0:
                    logger.info("step %d  lr %.2e  loss %.4f  loss scale %.0f", global_step, scheduler.get_last_lr()[0],
                                (tr_loss - logging_loss) / args.logging_steps, scaler.get_scale())
                    logging_loss = tr_loss

        results = evaluate(args, model, eval_dataset)
        logger.info("epoch %d: %s", epoch, results)

        os.makedirs(args.output_dir, exist_ok=True)
        xm.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(),
                    "scaler": scaler.state_dict(), "epoch": epoch},
                   os.path.join(args.output_dir, "checkpoint-%d.bin" % global_step))
    return global_step, tr_loss / global_step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output_dir", default="pair_output", type=str)
    parser.add_argument("--batch_size", default=8, type=int)
    parser.add_argument("--eval_batch_size", default=16, type=int)
    parser.add_argument("--gradient_accumulation_steps", default=2, type=int)
    parser.add_argument("--learning_rate", default=5e-3, type=float)
    parser.add_argument("--weight_decay", default=0.01, type=float)
    parser.add_argument("--max_grad_norm", default=1.0, type=float)
    parser.add_argument("--num_train_epochs", default=2, type=int)
    parser.add_argument("--warmup_steps", default=2, type=int)
    parser.add_argument("--logging_steps", default=2, type=int)
    parser.add_argument("--seed", default=42, type=int)
    parser.add_argument("--no-fp16", dest="fp16", action="store_false", help="train in full precision")
    args = parser.parse_args()

    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(message)s", level=logging.INFO, force=True)
    args.device = xm.xla_device()

    torch.manual_seed(args.seed)
    xm.set_rng_state(args.seed)

    train_dataset = PairDataset(72, vocab_size=24, max_length=12, seed=args.seed)
    eval_dataset = PairDataset(32, vocab_size=24, max_length=12, seed=args.seed + 1)
    model = Encoder(vocab_size=24, max_length=12)
    model.to(args.device)

    global_step, tr_loss = train(args, train_dataset, eval_dataset, model)
    logger.info(" global_step = %s, average loss = %s", global_step, tr_loss)


if __name__ == "__main__":
    main()
