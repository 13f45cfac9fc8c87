import math

import torch


def nodes(group_size):
    per_node = torch.cuda.device_count() if torch.cuda.is_available() else 8
    return math.ceil(group_size / per_node)


def train(model, batches):
    model = model.cuda()
    for batch in batches:
        model(batch.cuda()).mean().backward()
