import torch

if verbose: torch.cuda.synchronize(); print("done")
if verbose: torch.cuda.empty_cache()
for _ in range(3): torch.cuda.synchronize()
x = 1; torch.cuda.synchronize(); y = 2
with torch.cuda.device(0), open("log") as log:
    log.write("x")
with torch.cuda.device(1):
    # on the second GPU
    run()
try:
    torch.cuda.empty_cache()
except RuntimeError:
    pass
