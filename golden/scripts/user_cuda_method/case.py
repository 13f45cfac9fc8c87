"""REINFORCE on a fishing game: learn when to cast, wait and move to the next reef."""
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

ACTIONS = ("cast", "wait", "move")
EPISODES = 8
MAX_STEPS = 12


class Shoal:
    """Fish at one reef. The barracudas eat the others."""

    def __init__(self, n_small, n_cuda):
        self.n_small = n_small
        self.n_cuda = n_cuda

    def cuda(self, n=1):
        """A barracuda arrives ("cuda" for short)."""
        self.n_cuda += n
        return self

    def to(self, reef, non_blocking=False):
        """Swim to another reef; non_blocking keeps the strait open for the others on the way."""
        reef.shoals.append(self)
        if not non_blocking:
            reef.closed_until = reef.clock + 1
        return self

    def step(self):
        self.n_small = max(0, self.n_small - self.n_cuda)


class Reef:
    def __init__(self, name):
        self.name = name
        self.shoals = []
        self.clock = 0
        self.closed_until = 0

    def synchronize(self):
        self.clock += 1
        for shoal in self.shoals:
            shoal.step()


class FishingGame:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def reset(self):
        self.reefs = [Reef("north"), Reef("south")]
        for reef in self.reefs:
            Shoal(self.rng.randint(4, 9), 0).to(reef, non_blocking=True)
        self.at = 0
        self.clock = 0
        return self.observe()

    def observe(self):
        shoals = self.reefs[self.at].shoals
        return torch.tensor([
            sum(s.n_small for s in shoals) / 10.0,
            sum(s.n_cuda for s in shoals) / 3.0,
            float(self.at),
            self.clock / MAX_STEPS,
        ])

    def step(self, action):
        shoal = self.reefs[self.at].shoals[0]
        reward = 0.0
        if action == "cast":
            reward = min(2, shoal.n_small) - 0.5 * shoal.n_cuda
            shoal.n_small = max(0, shoal.n_small - 2)
        elif action == "move" and self.reefs[1 - self.at].clock >= self.reefs[1 - self.at].closed_until:
            self.at = 1 - self.at
            reward = -0.2
        if self.rng.random() < 0.15:
            shoal.cuda()
        if self.rng.random() < 0.05:
            shoal = shoal.cuda(n=2).to(self.reefs[1 - self.at], non_blocking=False)
        self.reefs[self.at].synchronize()
        self.clock += 1
        return self.observe(), reward, self.clock >= MAX_STEPS


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 16)
        self.out = nn.Linear(16, len(ACTIONS))

    def forward(self, observation):
        return F.log_softmax(self.out(torch.tanh(self.hidden(observation))), dim=-1)


def play(game, policy, generator):
    observation, done = game.reset(), False
    log_probs, rewards = [], []
    while not done:
        log_p = policy(observation)
        action = torch.multinomial(log_p.detach().exp(), 1, generator=generator).item()
        observation, reward, done = game.step(ACTIONS[action])
        log_probs.append(log_p[action])
        rewards.append(reward)
    return torch.stack(log_probs), rewards


def discounted(rewards, gamma=0.95):
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.insert(0, total)
    return torch.tensor(returns)


def main():
    torch.manual_seed(4)
    generator = torch.Generator().manual_seed(4)
    game, policy = FishingGame(seed=4), Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)

    start = time.time()
    for episode in range(EPISODES):
        log_probs, rewards = play(game, policy, generator)
        returns = discounted(rewards)
        loss = -(log_probs * (returns - returns.mean())).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if episode % 2 == 0:
            print(f"episode {episode}: caught {sum(rewards):.1f}, loss {loss.item():.3f}")
    print(f"{EPISODES / (time.time() - start):.1f} episodes/s")
    torch.save(policy.state_dict(), "fishing_policy.pt")


if __name__ == "__main__":
    main()
