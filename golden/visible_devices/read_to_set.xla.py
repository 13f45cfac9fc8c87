import torch


def set_devices(args):
    assert args.gpus <= torch.cuda.device_count()
    device_list = ",".join(str(i) for i in range(args.gpus))
