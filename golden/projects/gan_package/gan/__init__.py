from .discriminator import Discriminator
from .generator import Generator
from .steps import discriminator_step, generator_step
