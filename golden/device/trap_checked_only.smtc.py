import torch
import torch_xla.core.xla_model as xm


class Pipeline:
    def place(self, device_map, *args):
        self.offload = xm.xla_device()
        try:
            torch.device(device_map)
        except RuntimeError:
            return None
        where = torch.device(args[0]) if args[0] is not None else None
        hook = torch.device(self.module.hook.execution_device)
        return self.model.to(where or hook)


def settings(config, args, x):
    device = xm.xla_device()
    x = x.to(device)
    return x.to(device)
