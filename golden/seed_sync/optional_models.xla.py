import torch
from torch import nn
import torch_xla.core.xla_model as xm


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
    xm.broadcast_master_param(net)
    if with_probe:
        xm.broadcast_master_param(probe)
    return net


def by_the_same_condition(config):
    net = nn.Linear(4, 2).cuda()
    if config.get("teacher"):
        teacher = nn.Linear(4, 2).cuda()
    if config.get("teacher"):
        teacher = nn.DataParallel(teacher)
        xm.broadcast_master_param(teacher)
    if torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    xm.broadcast_master_param(net)
    return net


def by_itself(critic=None):
    average = None
    if critic:
        average = nn.Linear(4, 2).cuda()
    if torch.cuda.device_count() > 1:
        if average is not None:
            average = nn.DataParallel(average)
    if average is not None:
        xm.broadcast_master_param(average)
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
        xm.broadcast_master_param(self.actor)
        if self.target:
            xm.broadcast_master_param(self.target)


def in_one_arm(config):
    if config.parallel:
        head = nn.DataParallel(nn.Linear(4, 2).cuda())
        xm.broadcast_master_param(head)
    elif config.head:
        head = nn.Linear(4, 2).cuda()
    if config.parallel:
        print(head)


def unknown(config, wanted):
    if config.large:
        body = nn.Linear(4, 2).cuda()
    if wanted:
        body = nn.DataParallel(body)
        xm.broadcast_master_param(body)


def in_both_arms(config):
    if config.parallel:
        net = nn.DataParallel(nn.Linear(4, 2).cuda())
    else:
        net = nn.Linear(4, 2).cuda()
    xm.broadcast_master_param(net)
    return net
