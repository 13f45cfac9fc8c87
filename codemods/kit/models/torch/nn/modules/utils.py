"""torch.nn.modules.utils: the prefix that a wrapper gives to names."""

from meaning import event, operator


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    event("unprefixed")


def __getattr__(name):
    return operator("torch.nn.modules.utils." + name)
