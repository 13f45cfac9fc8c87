import torch
import torch_xla.core.xla_model as xm


def clock(sync=lambda: (xm.mark_step(), xm.wait_device_ops())):
    sync()


wait = (lambda: (xm.mark_step(), xm.wait_device_ops())) if torch.cuda.is_available() else lambda: None
cleaners = {"gpu": lambda: None, "cpu": None}
clean = lambda: None
clean()
done = (xm.mark_step(), xm.wait_device_ops()) if wait else None
