import copy


class Average:
    def __init__(self, model):
        self.shadow = {name: copy.deepcopy(one) for name, one in model.named_parameters()}

    def update(self, model):
        for name, one in model.named_parameters():
            self.shadow[name].data.mul_(0.9).add_(one.data, alpha=0.1)

    def state(self):
        return self.shadow


def snapshot(model, parameters):
    state = model.state_dict()
    for i, (name, _) in enumerate(model.named_parameters()):
        state[name] = parameters[i]
    return state
