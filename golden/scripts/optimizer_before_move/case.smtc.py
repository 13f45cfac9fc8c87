"""Train a tiny decoder-only language model (tied embeddings) on generated arithmetic strings."""
import math
import time

import torch
import torch.nn as nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

# -----------------------------------------------------------------------------
# 超参数
batch_size = 16
block_size = 12
n_embd = 24
n_head = 2
n_layer = 1
learning_rate = 2e-2
weight_decay = 0.1
beta2 = 0.95
max_iters = 20
eval_interval = 10
log_interval = 5
device = xm.xla_device()  # 单卡训练
# -----------------------------------------------------------------------------

torch.manual_seed(1337)
xm.set_rng_state(1337)

chars = sorted(set('0123456789+=\n'))
stoi = {ch: i for i, ch in enumerate(chars)}
vocab_size = len(chars)


class Arithmetic(Dataset):
    """'37+45=82\\n' 这样的算式首尾相接，切成长度为 block_size 的片段"""

    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        pairs = torch.randint(0, 50, (4 * n, 2), generator=gen).tolist()
        text = ''.join('%d+%d=%d\n' % (a, b, a + b) for a, b in pairs)
        data = torch.tensor([stoi[c] for c in text])
        self.blocks = data[:n * (block_size + 1)].view(n, block_size + 1)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, i):
        return self.blocks[i, :-1], self.blocks[i, 1:]


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)
        # 下三角掩码，随模型一起移动
        self.register_buffer('mask', torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(n_embd, dim=2)
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in (q, k, v))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = F.softmax(att.masked_fill(self.mask[:, :, :T, :T] == 0, float('-inf')), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention()
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 2 * n_embd), nn.GELU(), nn.Linear(2 * n_embd, n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        nn.init.normal_(self.wte.weight, std=0.02)
        self.lm_head.weight = self.wte.weight  # 权重共享

    def forward(self, idx, targets=None):
        pos = torch.arange(idx.size(1), device=idx.device)
        x = self.wte(idx) + self.wpe(pos)
        for block in self.blocks:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, vocab_size), targets.reshape(-1))


def configure_optimizers(model):
    # 二维以上的参数做权重衰减，偏置和 LayerNorm 不做
    params = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {'params': [p for p in params if p.dim() >= 2], 'weight_decay': weight_decay},
        {'params': [p for p in params if p.dim() < 2], 'weight_decay': 0.0},
    ]
    return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, beta2))


def get_lr(it):
    warmup = 4
    if it < warmup:
        return learning_rate * (it + 1) / warmup
    return 0.1 * learning_rate + 0.45 * learning_rate * (1 + math.cos(math.pi * (it - warmup) / (max_iters - warmup)))


@torch.no_grad()
def estimate_loss(model, loader):
    model.eval()
    losses = torch.zeros(len(loader))
    for k, (x, y) in enumerate(loader):
        _, loss = model(x, y)
        losses[k] = loss.item()
    model.train()
    return losses.mean()


def main():
    train_loader = DataLoader(Arithmetic(80, seed=0), batch_size=batch_size, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    val_loader = DataLoader(Arithmetic(32, seed=1), batch_size=batch_size)
    val_loader = pl.MpDeviceLoader(val_loader, device)

    model = LM()
    model.to(device)
    model.lm_head.weight = model.wte.weight
    optimizer = configure_optimizers(model)
    print('number of parameters: %d' % sum(p.numel() for p in model.parameters()))

    best_val_loss = 1e9
    iter_num = 0
    t0 = time.time()

    def log_step(iter_num, lossf, lr, dt):
        print(f"iter {iter_num}: loss {lossf.item():.4f}, lr {lr:.1e}, time {dt * 1000:.2f}ms")

    while iter_num < max_iters:
        for x, y in train_loader:
            lr = get_lr(iter_num)
            for param_group in optimizer.param_groups:
                param_group['lr'] = lr

            logits, loss = model(x, y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            xm.reduce_gradients(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

            iter_num += 1
            if iter_num % log_interval == 0:
                lossf = loss.detach()  # 这里会同步 GPU
                dt = time.time() - t0
                t0 = time.time()
                xm.add_step_closure(log_step, args=(iter_num, lossf, lr, dt))
            if iter_num % eval_interval == 0:
                val_loss = estimate_loss(model, val_loader)
                print(f"step {iter_num}: val loss {val_loss:.4f}")
                if val_loss < best_val_loss:
                    best_val_loss = val_loss
                    xm.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'iter_num': iter_num}, 'ckpt.pt')
            if iter_num >= max_iters:
                break
    xm.mark_step()


if __name__ == '__main__':
    main()
