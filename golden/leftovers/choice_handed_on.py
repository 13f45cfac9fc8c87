import torch
from tools import to_device


def train(model, batches, ngpu):
    model = model.to("cuda" if ngpu > 0 else "cpu")
    for batch in batches:
        batch = to_device(batch, "cuda" if ngpu > 0 else "cpu")
        model(batch).mean().backward()
        print("cuda" if ngpu > 0 else "cpu")
