import copy

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Buffer:
    def __init__(self):
        self.state = np.zeros((100, 4))
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def add(self, action):
        self.state[0] = 1

    def sample(self, batch_size):
        ind = np.random.randint(0, 100, size=batch_size)
        return torch.FloatTensor(self.state[ind]).to(self.device)


class TD3(object):
    def __init__(self, state_dim, action_dim):
        self.actor = nn.Linear(state_dim, action_dim).to(device)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.critic = nn.Linear(state_dim + action_dim, 1).to(device)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=3e-4)
        self.total_it = 0

    def select_action(self, state):
        state = torch.FloatTensor(state.reshape(1, -1)).to(device)
        return self.actor(state).cpu().data.numpy().flatten()

    def train(self, replay_buffer, batch_size=256):
        self.total_it += 1
        state = replay_buffer.sample(batch_size)
        with torch.no_grad():
            noise = torch.randn_like(state[:, :2]) * 0.1
            action = self.actor_target(state) + noise
        critic_loss = (self.critic(torch.cat([state, action], 1)) ** 2).mean()
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        if self.total_it % 2 == 0:
            actor_loss = -self.critic(torch.cat([state, self.actor(state)], 1)).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
