"""A model that is wrapped when it loads: only keys with `module.` fit it, wherever they were saved."""
import torch
from torch import nn


def resume(args, net):
    if args.parallel:
        net = nn.DataParallel(net)
    checkpoint = torch.load(args.resume, map_location='cpu')
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint['net'], 'module.')
    net.load_state_dict(checkpoint['net'])
    return net, checkpoint['epoch']


def resume_with_a_default(args, net):
    net = nn.DataParallel(net)
    checkpoint = torch.load(args.resume, map_location='cpu')
    state_dict = checkpoint.get('weights', checkpoint)
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, 'module.')
    net.load_state_dict(state_dict)
    return net


def loaded_before_it_is_wrapped(args, net):
    checkpoint = torch.load(args.resume, map_location='cpu')
    net.load_state_dict(checkpoint['net'])
    net = nn.DataParallel(net)
    return net


def wrapped_or_loaded(args, net):
    if args.parallel:
        net = nn.DataParallel(net)
    else:
        net.load_state_dict(torch.load(args.resume, map_location='cpu'))
    return net


def inside(args, net):
    net = nn.DataParallel(net)
    net.module.load_state_dict(torch.load(args.resume, map_location='cpu')['net'])
    return net


def taken_off_by_the_script(args, net):
    net = nn.DataParallel(net)
    state = torch.load(args.resume, map_location='cpu')
    net.load_state_dict({'module.' + key: value for key, value in state.items()})
    return net
