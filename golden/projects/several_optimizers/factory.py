import torch


def build_optimizers(model):
    return {
        "body": torch.optim.AdamW(model.body.parameters(), lr=0.01),
        "head": torch.optim.SGD(model.head.parameters(), lr=0.05),
    }


def build_list(model):
    return [torch.optim.SGD(part.parameters(), lr=0.05) for part in (model.body, model.head)]
