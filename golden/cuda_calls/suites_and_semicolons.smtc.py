import torch
import torch_xla.core.xla_model as xm

if verbose:
    xm.mark_step()
    xm.wait_device_ops()
    print("done")
for _ in range(3):
    xm.mark_step()
    xm.wait_device_ops()
x = 1
xm.mark_step()
xm.wait_device_ops()
y = 2
with open("log") as log:
    log.write("x")
# on the second GPU
run()
