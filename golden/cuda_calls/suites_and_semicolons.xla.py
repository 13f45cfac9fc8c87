import torch
import torch_xla

if verbose:
    torch_xla.sync(wait=True)
    print("done")
for _ in range(3):
    torch_xla.sync(wait=True)
x = 1
torch_xla.sync(wait=True)
y = 2
with open("log") as log:
    log.write("x")
# on the second GPU
run()
