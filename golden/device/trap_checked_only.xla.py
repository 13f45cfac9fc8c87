import torch
import torch_xla


class Pipeline:
    def place(self, device_map, *args):
        self.offload = torch_xla.device()
        try:
            torch.device(device_map)
        except RuntimeError:
            return None
        where = torch.device(args[0]) if args[0] is not None else None
        hook = torch.device(self.module.hook.execution_device)
        return self.model.to(where or hook)


def settings(config, args, x):
    device = torch_xla.device()
    x = x.to(device)
    return x.to(device)
