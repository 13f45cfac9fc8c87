"""What shows how far a loop is hands its batches on: the loader is wrapped once, below all of them."""
import torch
from fastprogress.fastprogress import master_bar, progress_bar
from rich.progress import track
from tqdm.autonotebook import tqdm
from torch.utils.data import DataLoader, TensorDataset
import progressbar
from alive_progress import alive_it

device = torch.device("cuda")
model = torch.nn.Linear(4, 2).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=4)


def step(x):
    loss = model(x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()


mb = master_bar(range(3))
for epoch in mb:
    for (x,) in progress_bar(loader, parent=mb):
        step(x.to(device))
for (x,) in track(loader, description="x"):
    step(x.to(device))
for (x,) in tqdm(loader):
    step(x.to(device))
for (x,) in progressbar.progressbar(loader):
    step(x.to(device))
for (x,) in alive_it(loader):
    step(x.to(device))
