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
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    if with_probe:
        xm.collective_broadcast(list(probe.parameters()) + list(probe.buffers()))
        xm.mark_step()
    return net


def by_the_same_condition(config):
    net = nn.Linear(4, 2).cuda()
    if config.get("teacher"):
        teacher = nn.Linear(4, 2).cuda()
    if config.get("teacher"):
        teacher = nn.DataParallel(teacher)
        xm.collective_broadcast(list(teacher.parameters()) + list(teacher.buffers()))
        xm.mark_step()
    if torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    return net


def by_itself(critic=None):
    average = None
    if critic:
        average = nn.Linear(4, 2).cuda()
    if torch.cuda.device_count() > 1:
        if average is not None:
            average = nn.DataParallel(average)
    if average is not None:
        xm.collective_broadcast(list(average.parameters()) + list(average.buffers()))
        xm.mark_step()
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
        xm.collective_broadcast(list(self.actor.parameters()) + list(self.actor.buffers()))
        xm.mark_step()
        if self.target:
            xm.collective_broadcast(list(self.target.parameters()) + list(self.target.buffers()))
            xm.mark_step()


def in_one_arm(config):
    if config.parallel:
        head = nn.DataParallel(nn.Linear(4, 2).cuda())
        xm.collective_broadcast(list(head.parameters()) + list(head.buffers()))
        xm.mark_step()
    elif config.head:
        head = nn.Linear(4, 2).cuda()
    if config.parallel:
        print(head)


def unknown(config, wanted):
    if config.large:
        body = nn.Linear(4, 2).cuda()
    if wanted:
        body = nn.DataParallel(body)
        xm.collective_broadcast(list(body.parameters()) + list(body.buffers()))
        xm.mark_step()


def in_both_arms(config):
    if config.parallel:
        net = nn.DataParallel(nn.Linear(4, 2).cuda())
    else:
        net = nn.Linear(4, 2).cuda()
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    return net
