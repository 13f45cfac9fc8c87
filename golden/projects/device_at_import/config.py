"""A device that every file of the project takes from here: it is made when the file is imported."""

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
BATCH = 8
