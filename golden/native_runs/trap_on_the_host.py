"""Serves a model on the CPU: there is nothing to migrate, and nothing to say."""
import torch


def model_fn(model_dir):
    return torch.jit.load(model_dir + "/model.pt")


def predict_fn(data, model):
    return model(data)
