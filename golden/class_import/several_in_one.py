import os, torch_xla.amp.syncfree.AdamW as AdamW, torch_xla.distributed.parallel_loader.MpDeviceLoader as Loader  # fast

print(os.sep, AdamW, Loader)
