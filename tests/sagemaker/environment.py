"""A Python environment with the real SageMaker SDK, kept in the user's cache: `python -m tests.sagemaker.environment`.

The tool never imports the SDK; these tests ask it what it takes.
"""

from __future__ import annotations

import sys

from migrate.migration import MigrateError
from migrate.smoke.environments import Recipe, provision_recipe

RECIPE = Recipe(
    # The SDK's last 2.x; 3.0 has no Training Compiler.
    version="2.257.7",
    pythons=((3, 11), (3, 10), (3, 12)),
    installs=(("sagemaker==2.257.7",),),
    package="sagemaker",
)


def main() -> int:
    """Make the environment unless it is ready, and print its interpreter; exit status 2 when it cannot be had."""
    try:
        print("sagemaker", provision_recipe(RECIPE).python)
    except MigrateError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
