from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
loader = accelerator.prepare(DataLoader(dataset, pin_memory=True))
