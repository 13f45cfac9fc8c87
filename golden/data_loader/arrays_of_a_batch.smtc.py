"""A `collate_fn` that leaves its samples apart leaves arrays what they are: they stay on the host, and get no `.cpu()`."""
import numpy as np
import librosa
import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import default_collate
import torch_xla.distributed.parallel_loader as pl


class Waves(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        wave, _ = librosa.load(f"{index}.wav")
        mag, phase = np.abs(wave), np.angle(wave)
        return torch.from_numpy(mag), wave, phase


device = torch.device("cuda")
model = torch.nn.Linear(4, 2).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(Waves(), batch_size=1, collate_fn=lambda batch: batch)
for batch in pl.MpDeviceLoader(loader, device):
    mag, wave, phase = batch[0]
    loss = model(mag).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    out = np.exp(phase * 1j) * mag.cpu().numpy()
    print(np.abs(out - wave).mean())
loader = DataLoader(Waves(), batch_size=1, collate_fn=lambda batch: default_collate(batch))
for mag, wave, phase in pl.MpDeviceLoader(loader, device):
    loss = model(mag).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print((wave[0] * phase[0]).sum(), np.exp(phase.cpu()))
