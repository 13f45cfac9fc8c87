import json
import numpy as np

json.load(open("a"))
np.load("b", mmap_mode="r")
