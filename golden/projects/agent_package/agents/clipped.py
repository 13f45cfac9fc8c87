"""Trains a policy that it is given, on what was collected: nothing here says where the policy is."""

import torch
from torch import nn, optim


class Clipped:
    def __init__(self, policy, lr, epochs, parts):
        self.policy = policy
        self.epochs, self.parts = epochs, parts
        self.optimizer = optim.Adam(policy.parameters(), lr=lr)

    def update(self, states, rewards):
        total = 0
        for _ in range(self.epochs):
            for part in torch.randperm(len(states)).chunk(self.parts):
                loss = (self.policy(states[part]).squeeze(1) - rewards[part]).pow(2).mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.optimizer.step()
                total += loss.item()
        return total / (self.epochs * self.parts)
