"""A comparison with what getattr gives only asks whether torch has it."""
import torch

has_native_amp = False
try:
    if getattr(torch.cuda.amp, "autocast") is not None:
        has_native_amp = True
except AttributeError:
    pass
fused = getattr(torch.cuda, "is_bf16_supported", None) is not None
print(has_native_amp, fused, torch.zeros(2).cuda())
