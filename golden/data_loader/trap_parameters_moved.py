import torch


@torch.no_grad()
def update(ema, model, decay):
    device = torch.device("cuda:1")
    ema_params = tuple(ema.parameters())
    model_params = tuple(model.parameters())
    for ema_p, model_p in zip(ema_params, model_params):
        ema_p.lerp_(model_p.to(device), weight=1.0 - decay)
    state = model.state_dict()
    for name in state:
        state[name] = state[name].to(device)
