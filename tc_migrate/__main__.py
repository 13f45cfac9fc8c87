"""The start of the command: the right packages, and the right end from the first instant.

`migrate` and `codemods` are names that other things have too: a `migrate.py` beside the user's scripts, another
distribution. This command's are those beside this file.
"""

from __future__ import annotations

import sys

PACKAGES = ("migrate", "codemods")


def main() -> None:
    """Run the command, and end."""
    try:
        _find_packages()
        from migrate.cli import main as command

        command(prog_name="tc-migrate")
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        import traceback

        traceback.print_exc()
        print(f"a fault of tc-migrate, not of the scripts: {type(error).__name__}", file=sys.stderr)
        sys.exit(2)


def _find_packages() -> None:
    """End with a sentence when another `migrate` would be imported. Nothing of it is executed to find out."""
    import os
    from importlib.util import find_spec

    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    first = os.path.realpath(sys.path[0]) if sys.path else here
    safe = __name__ != "__main__" or getattr(sys.flags, "safe_path", False)
    if first == os.path.realpath(os.curdir) != here and not safe:
        del sys.path[0]  # `python -m` puts the current folder there, and with it the user's own files
    for name in PACKAGES:
        spec = find_spec(name)
        found = os.path.realpath(spec.origin) if spec is not None and spec.origin else "nothing"
        ours = os.path.join(here, name)
        if os.path.dirname(found) != ours or not os.path.isfile(os.path.join(ours, "py.typed")):
            said = f"tc-migrate: the package {name!r} would be {found}, which is not tc-migrate's"
            print(f"{said}: take that off PYTHONPATH, or `pipx install tc-migrate`", file=sys.stderr)
            sys.exit(2)


if __name__ == "__main__":
    main()
