import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl

device = torch.device("cuda")
model = Captioner().to(device)
loader = DataLoader(dataset, batch_size=16)
loader = pl.MpDeviceLoader(loader, device)


@torch.no_grad()
def evaluate():
    scores, truth = [], []
    for images, captions, lengths, labels in loader:
        packed = pack_padded_sequence(captions, lengths.cpu(), batch_first=True)
        scores.append(model(images, packed).cpu().numpy())
        truth.extend(labels.cpu().numpy())
        np.save("last.npy", np.asarray(labels.cpu()))
    return np.concatenate(scores), truth


@torch.no_grad()
def report(classifier):
    from sklearn.metrics import accuracy_score

    for images, labels in loader:
        predicted = classifier(images).argmax(1).cpu()
        print(accuracy_score(labels.cpu(), predicted), labels.cpu().numpy().mean(), labels.tolist())
