import json
from pathlib import Path

import imageio
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from PIL import Image
from torchvision.utils import save_image

model = torch.nn.DataParallel(torch.nn.Linear(2, 2))
folder = Path("runs")
scores = {"loss": 0.5}
out = model(torch.rand(4, 2))
save_image(out, folder / "out.png")
np.save("out.npy", out.detach().numpy())
np.savetxt(fname="out.txt", X=out.detach().numpy())
imageio.mimsave("out.gif", [])
plt.plot([1, 2])
plt.savefig("curve.png")
figure, axis = plt.subplots()
figure.savefig("figure.png")
pd.DataFrame(scores, index=[0]).to_csv("scores.csv")
picture = Image.fromarray(np.zeros((2, 2), np.uint8))
picture.save("picture.png")
model.save_pretrained("model")
(folder / "scores.json").write_text(json.dumps(scores))
with (folder / "log.txt").open("a") as log:
    log.write("done")
