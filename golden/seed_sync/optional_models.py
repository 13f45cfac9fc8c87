import torch
from torch import nn


def by_flag(config):
    net = nn.Linear(4, 2).cuda()
    if config.probe:
        with_probe = True
        probe = nn.Linear(4, 2).cuda()
    else:
        with_probe = False
    if config.parallel:
        net = nn.DataParallel(net)
        if with_probe:
            probe = nn.DataParallel(probe)
    return net


def by_the_same_condition(config):
    net = nn.Linear(4, 2).cuda()
    if config.get("teacher"):
        teacher = nn.Linear(4, 2).cuda()
    if config.get("teacher"):
        teacher = nn.DataParallel(teacher)
    if torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    return net


def by_itself(critic=None):
    average = None
    if critic:
        average = nn.Linear(4, 2).cuda()
    if torch.cuda.device_count() > 1:
        if average is not None:
            average = nn.DataParallel(average)
    return average


class Agent:
    def __init__(self, config):
        self.actor = nn.Linear(4, 2).cuda()
        self.target = None
        if config.target:
            self.target = nn.Linear(4, 2).cuda()
        if config.parallel:
            self.actor = nn.DataParallel(self.actor)
            if self.target:
                self.target = nn.DataParallel(self.target)


def in_one_arm(config):
    if config.parallel:
        head = nn.DataParallel(nn.Linear(4, 2).cuda())
    elif config.head:
        head = nn.Linear(4, 2).cuda()
    if config.parallel:
        print(head)


def unknown(config, wanted):
    if config.large:
        body = nn.Linear(4, 2).cuda()
    if wanted:
        body = nn.DataParallel(body)


def in_both_arms(config):
    if config.parallel:
        net = nn.DataParallel(nn.Linear(4, 2).cuda())
    else:
        net = nn.Linear(4, 2).cuda()
    return net
