"""diffusers, used without its pipelines: networks, what programs derive from, and how noise is added and taken away."""

from meaning import combine, fresh, unknown
from torch.nn import Module, Network
from torch.optim.lr_scheduler import LRScheduler


class ConfigMixin:
    """Keeps what it was made with as `config`."""

    config = fresh("model settings")

    def register_to_config(self, **given):
        return None

    @classmethod
    def from_config(cls, *given, **more):
        return cls()


def register_to_config(function):
    return function


class ModelMixin(Module):
    config = fresh("model settings")

    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls()

    from_config = from_pretrained

    @property
    def device(self):
        return self.parameters()[0].device

    @property
    def dtype(self):
        return fresh("dtype")

    def enable_gradient_checkpointing(self, *given):
        return None

    disable_gradient_checkpointing = enable_xformers_memory_efficient_attention = enable_gradient_checkpointing
    set_attn_processor = enable_gradient_checkpointing

    def save_pretrained(self, path, *given, **more):
        from meaning import saved

        saved(self.state_dict(), "save_pretrained")


class ReadyModel(ModelMixin, Network):
    """One of the library's own: its result is a tensor, whatever part of it is asked for."""

    __init__ = Network.__init__


class Scheduler(ConfigMixin):
    """Noise that is added to a sample, and taken away step by step: as large, and where, the sample is."""

    def __init__(self, *given, **more):
        self.timesteps = fresh("timesteps")

    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls()

    def add_noise(self, sample, noise, timesteps):
        return combine(sample, noise)

    def set_timesteps(self, *given, **more):
        return None

    def scale_model_input(self, sample, *given):
        return sample

    get_velocity = add_noise

    def step(self, output, timestep, sample, *given, **more):
        return combine(output, sample)


def get_scheduler(name, optimizer=None, *given, **more):
    return LRScheduler(optimizer)


def __getattr__(name):
    if name == name.lower() and ("models" in name or name in ("schedulers", "configuration_utils", "optimization")):
        import diffusers

        return diffusers
    if "Scheduler" in name:
        return Scheduler
    if "Model" in name or "Autoencoder" in name or "Transformer" in name:
        return ReadyModel
    return unknown("diffusers." + name)
