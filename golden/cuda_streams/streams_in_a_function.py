import torch


def overlap(a, b):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        c = a @ b
    torch.cuda.current_stream().wait_stream(side)
    if c is not None: c.record_stream(side)
    return c


def probe(x):
    main = torch.cuda.current_stream()
    print(main.priority, x)
