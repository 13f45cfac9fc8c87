"""Things that step and are no optimizers."""
import gym
import torch


class Simulation:
    def __init__(self, lr):
        self.lr = lr

    def zero_grad(self):
        self.lr = 0

    def step(self):
        self.lr += 1


def run(model, policy, profiler):
    env = gym.make("CartPole-v1")
    optimizer = Simulation(0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(wrapped(policy), 3)
    for _ in range(10):
        loss = model.cuda()(env.reset()).sum()
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        scheduler.step()
        profiler.step()
        env.step(0)
