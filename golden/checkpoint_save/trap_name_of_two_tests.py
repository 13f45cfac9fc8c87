"""A name that is not always the answer to the question for the rank: its guard stays, and that is said."""
import torch
import torch.distributed as dist


def finish(args, model, log):
    is_first = dist.get_rank() == 0
    if args.every_host:
        is_first = args.host in args.writers
    wanted = args.save and dist.get_rank() == 0
    ready = log.is_open()
    if ready:
        torch.save(model.state_dict(), "open.pth")
    if wanted:
        torch.save(model.state_dict(), "wanted.pth")
    if is_first:
        torch.save(model.state_dict(), "first.pth")
