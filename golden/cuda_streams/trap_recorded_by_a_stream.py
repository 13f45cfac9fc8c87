import torch


def time_forward(model, x, stream=None):
    stream = stream if stream else torch.cuda.current_stream()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    stream.record_event(start)
    y = model(x)
    stream.record_event(end)
    end.synchronize()
    print(start.elapsed_time(end))
    return y
