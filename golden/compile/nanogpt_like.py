import torch
import torch._dynamo

torch._dynamo.config.cache_size_limit = 64
model = GPT(config).cuda()
# compile the model
if compile:
    print("compiling the model... (takes a ~minute)")
    unoptimized_model = model
    model = torch.compile(model)  # requires PyTorch 2.0


@torch.compile(mode="max-autotune")
def fused(x):
    return x * 2


def save(path):
    torch.save(model._orig_mod.state_dict(), path)
