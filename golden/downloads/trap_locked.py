"""What locks its files itself, and what is not to be downloaded."""
import torch
from datasets import load_dataset
from huggingface_hub import snapshot_download
from torchvision.datasets import MNIST

snapshot_download("org/name")
text = load_dataset("wikitext")
data = MNIST("data", download=False)
model = torch.nn.DataParallel(torch.nn.Linear(8, 2)).cuda()
