import torch
import torch.nn.parallel


def main_worker(gpu, ngpus_per_node, args):
    use_accel = not args.no_accel and torch.accelerator.is_available()
    if use_accel:
        if args.gpu is not None:
            torch.accelerator.set_device_index(args.gpu)
        device = torch.accelerator.current_accelerator()
    else:
        device = torch.device("cpu")
    model = make(args)
    if args.distributed:
        args.batch_size = int(args.batch_size / ngpus_per_node)
    model = model.to(device)
    return model
