import os

import torch

os.environ["DEVICES"] = str(torch.cuda.device_count())
os.environ["LENGTH"] = str(len(os.listdir(".")))
