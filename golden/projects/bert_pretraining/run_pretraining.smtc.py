"""Pretrains a small BERT with accumulated gradients, in one process per GPU."""
import argparse
import random
import tempfile

import numpy as np
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

import utils
from data import create_pretraining_dataset
from modeling import BertForPreTraining, BertPretrainingCriterion
from schedulers import LinearWarmUpScheduler, ScheduledOptim


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output_dir", default=tempfile.gettempdir())
    parser.add_argument("--resume_from_checkpoint", default="")
    parser.add_argument("--train_batch_size", default=8, type=int, help="per step, over all micro batches")
    parser.add_argument("--gradient_accumulation_steps", default=2, type=int)
    parser.add_argument("--max_steps", default=12, type=int)
    parser.add_argument("--learning_rate", default=5e-2, type=float)
    parser.add_argument("--warmup_proportion", default=0.2, type=float)
    parser.add_argument("--log_freq", default=4, type=int)
    parser.add_argument("--local_rank", default=xm.get_local_ordinal(), type=int)
    parser.add_argument("--seed", default=42, type=int)
    return parser.parse_args()


def setup_training(args):
    if args.local_rank == -1:
        device = xm.xla_device()
        args.n_gpu = 1
    else:
        device = xm.xla_device()
        args.n_gpu = 1
    if args.train_batch_size % args.gradient_accumulation_steps != 0:
        raise ValueError("the batch must be divisible by gradient_accumulation_steps")
    args.train_batch_size = args.train_batch_size // args.gradient_accumulation_steps
    return device, args


def prepare_model_and_optimizer(args, device):
    model = BertForPreTraining()
    global_step = 0
    if args.resume_from_checkpoint:
        global_step = utils.load_checkpoint(args.resume_from_checkpoint, model)
    model.to(device)

    no_decay = ["bias", "norm"]
    grouped = [
        {"params": [p for n, p in model.named_parameters() if not any(k in n for k in no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if any(k in n for k in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.SGD(grouped, lr=args.learning_rate, momentum=0.9)
    lr_scheduler = LinearWarmUpScheduler(optimizer, warmup=args.warmup_proportion, total_steps=args.max_steps)
    if args.local_rank != -1:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()
    criterion = BertPretrainingCriterion()
    return model, ScheduledOptim(optimizer, lr_scheduler), criterion, global_step


def take_optimizer_step(args, optimizer, model, global_step):
    xm.reduce_gradients(optimizer._optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step_and_update_lr()
    for param in model.parameters():
        param.grad = None
    global_step += 1
    return global_step


def main():
    args = parse_arguments()
    random.seed(args.seed + args.local_rank)
    np.random.seed(args.seed + args.local_rank)
    torch.manual_seed(args.seed + args.local_rank)
    xm.set_rng_state(args.seed + args.local_rank)

    device, args = setup_training(args)
    model, optimizer, criterion, global_step = prepare_model_and_optimizer(args, device)
    model.train()
    average_loss = 0.0
    training_steps = 0
    shard = 0
    while global_step < args.max_steps:
        train_dataloader, _ = create_pretraining_dataset(shard, args.train_batch_size)
        train_dataloader = pl.MpDeviceLoader(train_dataloader, device)
        for step, batch in enumerate(train_dataloader):
            training_steps += 1
            input_ids, input_mask, masked_lm_labels, next_sentence_labels = batch
            prediction_scores, seq_relationship_score = model(input_ids, input_mask)
            loss = criterion(prediction_scores, seq_relationship_score, masked_lm_labels, next_sentence_labels)
            if args.gradient_accumulation_steps > 1:
                loss = loss / args.gradient_accumulation_steps
            loss.backward()
            xm.mark_step()
            average_loss += loss.item()
            if training_steps % args.gradient_accumulation_steps == 0:
                global_step = take_optimizer_step(args, optimizer, model, global_step)
                if global_step % args.log_freq == 0:
                    if utils.is_main_process():
                        print(f"step {global_step} loss {average_loss / args.log_freq:.5f} lr {optimizer.learning_rate:.5f}")
                    average_loss = 0.0
                if global_step >= args.max_steps:
                    break
        shard += 1
    utils.barrier()
    utils.save_checkpoint(args.output_dir, model, optimizer, global_step)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
