from pathlib import Path

import numpy as np
import pandas as pd
import torch
from PIL import Image

model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
print(pd.DataFrame({"loss": [0.5]}).to_csv())
picture = Image.open("picture.png")
rows = np.load("rows.npy")
with Path("notes.txt").open() as notes:
    print(notes.read(), picture.size, rows)
model.save = print
model.save("weights")
