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
    if not use_accel:
        print('using CPU, this will be slow')
    elif args.distributed:
        if device.type == 'cuda':
            if args.gpu is not None:
                torch.cuda.set_device(args.gpu)
                model.cuda(device)
                args.batch_size = int(args.batch_size / ngpus_per_node)
                model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
            else:
                model.cuda()
                model = torch.nn.parallel.DistributedDataParallel(model)
    elif device.type == 'cuda':
        model = torch.nn.DataParallel(model).cuda()
    else:
        model.to(device)
    return model
