import os

import torch

os.environ["DEVICES"] = torch.cuda.device_count()
os.environ["LENGTH"] = len(os.listdir("."))
