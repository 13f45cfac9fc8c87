"""Types of tensors that know where these are: `torch.FloatTensor(2, 3)`, `x.type(torch.cuda.FloatTensor)`."""

from meaning import for_host, is_function, is_tensor, moved, say, tensor


class tensortype:
    def __init__(self, name, where):
        self.name = name
        self.where = where

    def __call__(self, *given, **more):
        for one in given:
            if self.where == "cpu" and is_tensor(one):
                for_host(one, self.name + "()")
        return tensor(*given, device=self.where)


def converted(value, kind):
    """What `value.type(kind)` makes."""
    if is_function(kind):
        say("what is written runs on torch_xla", ".type() fails: it is given a function, not a type of tensors")
    elif isinstance(kind, tensortype):
        return value.to(kind.where)
    return value
