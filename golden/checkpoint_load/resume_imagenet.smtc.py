import os

import torch


def main_worker(gpu, args, model, optimizer):
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[gpu])
    if os.path.isfile(args.resume):
        checkpoint = torch.load(args.resume, map_location='cpu')
        args.start_epoch = checkpoint['epoch']
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint['state_dict'], 'module.')
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])
    torch.save({'state_dict': model.state_dict()}, "out.pt")
