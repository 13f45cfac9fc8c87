from .loaders import create_loaders
