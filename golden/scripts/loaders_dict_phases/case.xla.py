# License: BSD
# Author: M. Okafor
"""
Leaf disease classifier: fine-tune the head of a frozen feature extractor
=========================================================================
"""

import copy
import os
import time

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, Dataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class LeafFolder(Dataset):
    """Stands in for an image folder: green leaves, leaves with spots, yellow leaves."""
    classes = ['healthy', 'spotted', 'yellow']

    def __init__(self, split):
        n, seed = {'train': (66, 31), 'val': (30, 32)}[split]
        gen = torch.Generator().manual_seed(seed)
        self.samples = []
        for i in range(n):
            label = i % 3
            image = 0.2 * torch.randn(3, 12, 12, generator=gen)
            image[1] += 0.8
            if label == 1:
                rows = torch.randint(12, (6,), generator=gen)
                cols = torch.randint(12, (6,), generator=gen)
                image[:, rows, cols] = -1.0
            elif label == 2:
                image[0] += 0.7
            self.samples.append((image, label))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]


image_datasets = {x: LeafFolder(x) for x in ['train', 'val']}
dataloaders = {x: DataLoader(image_datasets[x], batch_size=12,
                             shuffle=(x == 'train'), num_workers=0)
               for x in ['train', 'val']}
dataset_sizes = {x: len(image_datasets[x]) for x in ['train', 'val']}
class_names = image_datasets['train'].classes

device = torch_xla.device()


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, kernel_size=3, stride=2, padding=1),
            nn.BatchNorm2d(8),
            nn.Tanh(),
        )
        self.fc = nn.Linear(8 * 6 * 6, 1000)   # as pre-trained

    def forward(self, x):
        return self.fc(torch.flatten(self.features(x), 1))


def train_model(model, criterion, optimizer, scheduler, num_epochs=3):
    since = time.time()

    best_model_wts = copy.deepcopy(model.state_dict())
    best_acc = 0.0

    for epoch in range(num_epochs):
        print('Epoch {}/{}'.format(epoch, num_epochs - 1))
        print('-' * 10)

        # Each epoch has a training and validation phase
        for phase in ['train', 'val']:
            if phase == 'train':
                model.train()  # Set model to training mode
            else:
                model.eval()   # Set model to evaluate mode

            running_loss = 0.0
            running_corrects = 0

            # Iterate over data.
            for inputs, labels in pl.MpDeviceLoader(dataloaders[phase], device):
                # zero the parameter gradients
                optimizer.zero_grad()

                # forward
                # track history if only in train
                with torch.set_grad_enabled(phase == 'train'):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)

                    # backward + optimize only if in training phase
                    if phase == 'train':
                        loss.backward()
                        xm.optimizer_step(optimizer)
                torch_xla.sync()

                # statistics
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == 'train':
                scheduler.step()

            epoch_loss = running_loss / dataset_sizes[phase]
            epoch_acc = running_corrects.double() / dataset_sizes[phase]

            print('{} Loss: {:.4f} Acc: {:.4f}'.format(phase, epoch_loss, epoch_acc))

            # deep copy the model
            if phase == 'val' and epoch_acc > best_acc:
                best_acc = epoch_acc
                best_model_wts = copy.deepcopy(model.state_dict())

        print()

    time_elapsed = time.time() - since
    print('Training complete in {:.0f}m {:.0f}s'.format(time_elapsed // 60, time_elapsed % 60))
    print('Best val Acc: {:4f}'.format(best_acc))

    # load best model weights
    model.load_state_dict(best_model_wts)
    return model


if __name__ == '__main__':
    torch.manual_seed(0)
    torch_xla.manual_seed(0)

    model_conv = LeafNet()
    for param in model_conv.features.parameters():
        param.requires_grad = False

    # Parameters of newly constructed modules have requires_grad=True by default
    num_ftrs = model_conv.fc.in_features
    model_conv.fc = nn.Linear(num_ftrs, len(class_names))

    model_conv = model_conv.to(device)

    criterion = nn.CrossEntropyLoss()

    # Observe that only parameters of final layer are being optimized
    optimizer_conv = optim.SGD(model_conv.fc.parameters(), lr=0.01, momentum=0.9)

    # Decay LR by a factor of 0.1 every 2 epochs
    exp_lr_scheduler = lr_scheduler.StepLR(optimizer_conv, step_size=2, gamma=0.1)

    model_conv = train_model(model_conv, criterion, optimizer_conv, exp_lr_scheduler)

    out_dir = os.path.join('models', 'leaf')
    os.makedirs(out_dir, exist_ok=True)
    xm.save(model_conv.state_dict(), os.path.join(out_dir, 'leafnet.pth'))
