SEED = 7
DEVICE_NAME = "xla"
PLACES = {"eval": "xla", "label": "cuda"}
LR = 0.1
