import torch


def full_batch(args):
    device = f"cuda:{args.device}" if torch.cuda.is_available() else "cpu"
    device = torch.device(device)
    return torch.zeros(2, device=device)


def by_choice(args):
    if args.gpu and torch.cuda.is_available():
        device = "cuda"
    else:
        device = "cpu"
    device = torch.device(device)
    return torch.zeros(2).to(device)


def by_parameter(device):
    device = torch.device(device)
    return torch.zeros(2).to(device)


def something_between():
    name = "cuda" if torch.cuda.is_available() else "cpu"
    print("runs on", name)
    device = torch.device(name)
    return torch.zeros(2).to(device)


by_parameter("cuda")
