import torch.distributed as dist


def init(args):
    if args.verbose: print("again")
    return dist.get_rank(args.group)


def finish():
    # all done
    pass


callbacks = [finish]
group = None or 1
if __name__ == "__main__":
    init(None)
