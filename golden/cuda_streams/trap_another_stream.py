import torch


def wait(tensor, stream=None):
    if stream is None:
        stream = torch.cuda.default_stream()
    else:
        if stream == 2:
            raise BufferError("not supported")
        stream = torch.cuda.ExternalStream(stream)
    return export(tensor, stream)


def choose(side):
    if side:
        stream = torch.cuda.Stream()
    else:
        stream = torch.cuda.current_stream()
    return stream
