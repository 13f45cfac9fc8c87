"""Prepares every Python process of a smoke run, spawned workers included: this folder is on their PYTHONPATH.

The folder holds nothing else, so that no module of the tool can shadow one of the script's.
"""

import importlib.util
import os
import sys
from pathlib import Path

if "TC_MIGRATE_SMOKE" in os.environ:
    folder = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location(
        "tc_migrate_child", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tc_migrate_child"] = module
    spec.loader.exec_module(module)
    module.prepare()
