"""GAN that learns to draw 8x8 bars and blobs from a 10-dimensional normal."""
import argparse
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

os.makedirs("samples", exist_ok=True)

parser = argparse.ArgumentParser()
parser.add_argument("--n_epochs", type=int, default=3, help="number of epochs of training")
parser.add_argument("--batch_size", type=int, default=16, help="size of the batches")
parser.add_argument("--lr", type=float, default=0.0005, help="adam: learning rate")
parser.add_argument("--b1", type=float, default=0.5, help="adam: decay of first order momentum of gradient")
parser.add_argument("--b2", type=float, default=0.999, help="adam: decay of second order momentum of gradient")
parser.add_argument("--latent_dim", type=int, default=10, help="dimensionality of the latent space")
parser.add_argument("--img_size", type=int, default=8, help="size of each image dimension")
parser.add_argument("--sample_interval", type=int, default=6, help="interval between image samples")
opt = parser.parse_args()
print(opt)

np.random.seed(0)
torch.manual_seed(0)
torch_xla.manual_seed(0)

img_shape = (1, opt.img_size, opt.img_size)

cuda = True


class Bars(Dataset):
    def __init__(self, n=64):
        rng = np.random.RandomState(4)
        imgs = -np.ones((n, opt.img_size, opt.img_size), dtype=np.float32)
        for k in range(n):
            row = rng.randint(1, opt.img_size - 1)
            if k % 2:
                imgs[k, row] = 1.0
            else:
                imgs[k, row - 1:row + 2, row - 1:row + 2] = 1.0
        self.imgs = torch.from_numpy(imgs).unsqueeze(1)

    def __len__(self):
        return self.imgs.shape[0]

    def __getitem__(self, i):
        return self.imgs[i], i % 2


def weights_init_normal(m):
    classname = m.__class__.__name__
    if classname.find("Linear") != -1:
        torch.nn.init.normal_(m.weight.data, 0.0, 0.1)
    elif classname.find("BatchNorm1d") != -1:
        torch.nn.init.normal_(m.weight.data, 1.0, 0.02)
        torch.nn.init.constant_(m.bias.data, 0.0)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(opt.latent_dim, 32, normalize=False),
            *block(32, 64),
            nn.Linear(64, int(np.prod(img_shape))),
            nn.Tanh()
        )

    def forward(self, z):
        img = self.model(z)
        return img.view(img.size(0), *img_shape)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.model = nn.Sequential(
            nn.Linear(int(np.prod(img_shape)), 64),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(64, 1),
            nn.Sigmoid(),
        )

    def forward(self, img):
        return self.model(img.view(img.size(0), -1))


# Loss function
adversarial_loss = torch.nn.BCELoss()

# Initialize generator and discriminator
generator = Generator()
discriminator = Discriminator()
generator.apply(weights_init_normal)
discriminator.apply(weights_init_normal)

device = torch_xla.device()
if cuda:
    generator.to(device)
    discriminator.to(device)
    adversarial_loss.to(device)

dataloader = DataLoader(Bars(), batch_size=opt.batch_size, shuffle=True)
dataloader = pl.MpDeviceLoader(dataloader, device)

# Optimizers
optimizer_G = torch.optim.Adam(generator.parameters(), lr=opt.lr, betas=(opt.b1, opt.b2))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=opt.lr, betas=(opt.b1, opt.b2))

Tensor = lambda *args: torch.FloatTensor(*args).to(device)

# the same noise for every sample sheet
fixed_z = Tensor(np.random.normal(0, 1, (9, opt.latent_dim)))


def log_step(i, d_loss, g_loss):
    print(
        "[Epoch %d/%d] [Batch %d/%d] [D loss: %f] [G loss: %f]"
        % (epoch, opt.n_epochs, i, len(dataloader), d_loss.item(), g_loss.item())
    )


# ----------
#  Training
# ----------

for epoch in range(opt.n_epochs):
    for i, (imgs, _) in enumerate(dataloader):

        # Adversarial ground truths
        valid = Tensor(imgs.size(0), 1).fill_(1.0)
        fake = Tensor(imgs.size(0), 1).fill_(0.0)

        # Configure input
        real_imgs = imgs.to(device=device, dtype=torch.float32)

        # -----------------
        #  Train Generator
        # -----------------

        optimizer_G.zero_grad()
        z = Tensor(np.random.normal(0, 1, (imgs.shape[0], opt.latent_dim)))
        gen_imgs = generator(z)

        # how well does it fool the discriminator?
        g_loss = adversarial_loss(discriminator(gen_imgs), valid)
        g_loss.backward()
        xm.optimizer_step(optimizer_G)

        # ---------------------
        #  Train Discriminator
        # ---------------------

        optimizer_D.zero_grad()
        real_loss = adversarial_loss(discriminator(real_imgs), valid)
        fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2
        d_loss.backward()
        xm.optimizer_step(optimizer_D)

        xm.add_step_closure(log_step, args=(i, d_loss.detach(), g_loss.detach()))

        batches_done = epoch * len(dataloader) + i
        if batches_done % opt.sample_interval == 0:
            generator.eval()
            with torch.no_grad():
                sheet = generator(fixed_z).cpu().numpy()
            generator.train()
            np.save("samples/%d.npy" % batches_done, sheet)

xm.save(generator.state_dict(), "generator.pth")
xm.save(discriminator.state_dict(), "discriminator.pth")
