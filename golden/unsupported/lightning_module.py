import pytorch_lightning as pl
import torch


class Net(pl.LightningModule):
    def training_step(self, batch, i):
        return self(batch).sum()


pl.Trainer(gpus=2).fit(Net())
