"""What an expression is in training: model, optimizer, loader, scaler ... decided by evidence, never by spelling.

Evidence, strongest first: what it was constructed from; what flows in through assignments, parameters, returns, tuple
unpacking, attributes, containers and loops; how it is used. Each value keeps the chain that led to it.
"""

from codemods.kit.roles.libraries import (
    DEVICE_LOADERS,
    LIBRARY_SCALERS,
    OTHER_DEVICE,
    PASSES_THROUGH,
    WRAPPERS,
    base_role,
    library_role,
)
from codemods.kit.roles.roles import Roles
from codemods.kit.roles.spelled import spelling
from codemods.kit.roles.values import DICT, Role, Value, Values, sorted_values

__all__ = [
    "DEVICE_LOADERS",
    "DICT",
    "LIBRARY_SCALERS",
    "OTHER_DEVICE",
    "PASSES_THROUGH",
    "WRAPPERS",
    "Role",
    "Roles",
    "Value",
    "Values",
    "base_role",
    "library_role",
    "sorted_values",
    "spelling",
]
