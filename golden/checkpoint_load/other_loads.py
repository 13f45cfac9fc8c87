import json
import pickle

import numpy as np
import torch

with open("config.json") as file:
    config = json.load(file)
weights = np.load("weights.npy")
with open("vocabulary.pkl", "rb") as file:
    vocabulary = pickle.load(file)
model = torch.nn.Linear(4, 2).cuda()
model.load_state_dict({"weight": torch.from_numpy(weights), "bias": torch.zeros(2)})
