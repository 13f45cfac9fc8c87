import logging

import torch


class App:
    def __init__(self, path):
        logging.basicConfig(filename=path, level=logging.INFO)
        logging.getLogger().addHandler(logging.StreamHandler())

    def close(self):
        root = logging.getLogger()
        for handler in root.handlers[:]:
            root.removeHandler(handler)


app = App("train.log")
x = torch.ones(2).cuda()
app.close()
