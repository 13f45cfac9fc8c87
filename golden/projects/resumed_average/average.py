class Average:
    """A dict of averages by the names of the parameters."""

    def __init__(self, mu=0.999):
        self.mu = mu
        self.shadow = {}

    def register(self, module):
        for name, param in module.named_parameters():
            self.shadow[name] = param.data.clone()

    def update(self, module):
        for name, param in module.named_parameters():
            self.shadow[name].data = (1.0 - self.mu) * param.data + self.mu * self.shadow[name].data

    def state_dict(self):
        return self.shadow

    def load_state_dict(self, state_dict):
        self.shadow = state_dict


class Means:
    """A list of averages, and how many there were."""

    def __init__(self, parameters):
        self.means = [p.detach().clone() for p in parameters]
        self.count = 0

    def update(self, parameters):
        self.count += 1
        for mean, p in zip(self.means, parameters):
            mean.add_((p.detach() - mean) / self.count)

    def restore(self, means):
        self.means = means


class Best(Means):
    def state_dict(self):
        return {"means": self.means, "count": self.count}

    def load_state_dict(self, state):
        self.means = state["means"]
        self.count = state["count"]
