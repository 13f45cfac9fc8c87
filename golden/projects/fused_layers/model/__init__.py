from .norms import *
