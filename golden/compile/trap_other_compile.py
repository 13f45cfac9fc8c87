import re

import torch
from tensorflow import keras

pattern = re.compile(r"\d+")
net = keras.Model()
net.compile(optimizer="adam")
x = torch.zeros(2).cuda()


class Grammar:
    def compile(self):
        return self


Grammar().compile()
compile("1", "<x>", "eval")
