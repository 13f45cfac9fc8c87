import torch
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
import torch_xla.core.xla_model as xm
from tqdm import tqdm


class Trainer:
    def __init__(self, model, dataset):
        self.model = model.cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.writer = SummaryWriter()
        self.loader = DataLoader(dataset)
        self.step = 0

    def fit(self):
        bar = tqdm(self.loader)

        def log_step(loss_a, step, loss_b):
            self.writer.add_scalar("train/loss", loss_a.item(), step)
            bar.set_postfix(loss=loss_a.item(), total=(loss_a + loss_b).item())

        for x, y in bar:
            self.optimizer.zero_grad()
            loss_a, loss_b = torch.nn.functional.mse_loss(self.model(x.cuda()), y.cuda()), self.model.penalty()
            (loss_a + loss_b).backward()
            self.optimizer.step()
            self.step += 1
            xm.add_step_closure(log_step, args=(loss_a.detach(), self.step, loss_b.detach()))
