"""tc-migrate: native CUDA PyTorch training scripts to PyTorch/XLA."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrate.migration import Migration

__version__ = "0.1.0"


def migrate(source: str, *, target: str = "smtc", path: str = "-") -> Migration:
    """Migrate the text of one script: `migrate(source, target="torch-xla==2.9").result`.

    Raises ValueError, naming the nearest target, for a target that does not exist. Whatever is wrong with the script is
    in the returned value's `status` and `reason`.
    """
    # Imported here: `tc-migrate --help` imports this package and must not wait for libcst.
    from codemods.kit.targets import Target
    from migrate import pipeline

    return pipeline.migrate(source, path=path, target=Target.parse(target))
