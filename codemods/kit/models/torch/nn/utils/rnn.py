"""torch.nn.utils.rnn."""

from meaning import combine, event, get_world, operator


def pack_padded_sequence(value, lengths, *given, **more):
    event("packed sequence")
    return combine(value, lengths)


def pad_packed_sequence(value, *given, **more):
    event("packed sequence")
    return combine(value), combine(value)


def pad_sequence(values, *given, **more):
    if get_world("collating"):
        event("ragged batch")
    return combine(values)


def __getattr__(name):
    return operator("torch.nn.utils.rnn." + name)
