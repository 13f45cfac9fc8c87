"""Strings compared with "cuda" that are no device."""
import torch


class Box:
    def __init__(self, kind):
        self.type = kind


def check(args, name, box):
    if args.backend == "cuda" or name in ("cuda", "cpu"):
        return "cuda" in name
    return name.startswith("cuda") or box.kind == "cuda"


print(check(None, "cuda", Box("cuda")), torch.device("cpu"))
