import torch

scaler = torch.cuda.amp.GradScaler(enabled=True) if args.amp else None  # only with --amp
if isinstance(scaler, torch.cuda.amp.GradScaler):
    print(scaler.get_scale())
