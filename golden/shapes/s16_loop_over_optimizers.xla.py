"""Several optimizers step in one iteration: one mark for all; a scheduler and an environment step too."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm


class Environment:
    def step(self, action):
        return torch.randn(16), float(action.sum())


def main():
    device = torch_xla.device()
    actor, critic = torch.nn.Linear(16, 2).to(device), torch.nn.Linear(16, 1).to(device)
    optimizers = {"actor": torch.optim.Adam(actor.parameters()), "critic": torch.optim.Adam(critic.parameters())}
    schedulers = [torch.optim.lr_scheduler.StepLR(o, 100) for o in optimizers.values()]
    env = Environment()
    state = torch.zeros(16)
    for t in range(1000):
        value = critic(state.to(device))
        action = actor(state.to(device))
        state, reward = env.step(action.detach().cpu())
        loss = (value - reward).pow(2).mean() - action.mean() * reward
        for optimizer in optimizers.values():
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers.values():
            xm.optimizer_step(optimizer)
        torch_xla.sync()
        for scheduler in schedulers:
            scheduler.step()


if __name__ == "__main__":
    main()
