import torch


def overlap(a, b):
    c = a @ b
    return c


def probe(x):
    main = torch.cuda.current_stream()
    print(main.priority, x)
