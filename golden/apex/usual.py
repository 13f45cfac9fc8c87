import torch
from apex import amp
from apex.optimizers import FusedAdam

model = torch.nn.Linear(4, 2).cuda()
optimizer = FusedAdam(model.parameters(), lr=1e-3, adam_w_mode=False)
model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
for x, y in loader:
    # forward
    out = model(x)
    loss = torch.nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
    optimizer.step()
torch.save({"model": model.state_dict(), "amp": amp.state_dict()}, "ckpt.pt")
