"""Serves the model of a training job."""
import os

import torch

from model import Net


def model_fn(model_dir):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net()
    model.load_state_dict(torch.load(os.path.join(model_dir, "model.pt"), map_location=device))
    return model.to(device).eval()


def predict_fn(data, model):
    device = next(model.parameters()).device
    with torch.no_grad():
        return model(data.to(device))
