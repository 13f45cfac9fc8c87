import torch

events = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
for event in events:
    event.record()
streams = [torch.cuda.Stream() for _ in range(2)]
ctx = torch.cuda.stream(streams[0]) if streams else None
