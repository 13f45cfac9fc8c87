import torch
import torch_xla.core.xla_model as xm


def train(encoder, decoder, batches):
    encoder, decoder = encoder.cuda(), decoder.cuda()
    optimizers = [torch.optim.Adam(encoder.parameters()), torch.optim.Adam(decoder.parameters())]
    for x, y in batches:
        loss = torch.nn.functional.mse_loss(decoder(encoder(x.cuda())), y.cuda())
        loss.backward()
        for optimizer in optimizers:
            xm.optimizer_step(optimizer)
    named = {"e": torch.optim.Adam(encoder.parameters()), "d": torch.optim.Adam(decoder.parameters())}
    for x, y in batches:
        decoder(encoder(x.cuda())).mean().backward()
        for name, optimizer in named.items():
            xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        for name, optimizer in named.items():
            optimizer.step()
        named["e"].zero_grad()
