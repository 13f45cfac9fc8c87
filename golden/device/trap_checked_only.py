import torch


class Pipeline:
    def place(self, device_map, *args):
        self.offload = torch.device("cuda")
        try:
            torch.device(device_map)
        except RuntimeError:
            return None
        where = torch.device(args[0]) if args[0] is not None else None
        hook = torch.device(self.module.hook.execution_device)
        return self.model.to(where or hook)


def settings(config, args, x):
    x = x.to(torch.device(config["device"]))
    return x.to(torch.device(args.gpu_device))
