import torch


def train(encoder, decoder, batches):
    encoder, decoder = encoder.cuda(), decoder.cuda()
    optimizers = [torch.optim.Adam(encoder.parameters()), torch.optim.Adam(decoder.parameters())]
    for x, y in batches:
        loss = torch.nn.functional.mse_loss(decoder(encoder(x.cuda())), y.cuda())
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
    named = {"e": torch.optim.Adam(encoder.parameters()), "d": torch.optim.Adam(decoder.parameters())}
    for x, y in batches:
        decoder(encoder(x.cuda())).mean().backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        for name, optimizer in named.items():
            optimizer.step()
        named["e"].zero_grad()
