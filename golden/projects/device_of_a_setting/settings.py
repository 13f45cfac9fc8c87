SEED = 7
DEVICE_NAME = "cuda"
PLACES = {"eval": "cuda:0", "label": "cuda"}
LR = 0.1
