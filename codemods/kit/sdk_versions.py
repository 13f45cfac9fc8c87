"""Which versions of the SageMaker Python SDK a requirement such as `>=2.140,<3` admits, and whether they will do."""

from __future__ import annotations

import re

from codemods.kit.containers import Container

Version = tuple[int, ...]
LAST: Version = (3,)
"""The first version without a Training Compiler."""
_CLAUSE = re.compile(r"(===?|~=|!=|>=|<=|>|<|=)\s*(\d+(?:\.\d+)*)")

_PINNED = re.compile(r"(===?|~=|!=|>=|<=|>|<|=)\s*(\d+(?:\.\d+)*)(\.\*)?")


def sdk_version(text: str) -> Version:
    """`2.133.0` as numbers, to be compared."""
    return tuple(map(int, text.split(".")))


def unfit_sdk(requirement: str, container: Container) -> str:
    """Why the versions that a requirement admits can't start jobs in a container; empty when they can.

    Without an upper bound pip takes the newest version, which is a 3.
    """
    lowest: Version = ()
    beyond: Version | None = None
    for operator, number in _CLAUSE.findall(requirement):
        low, high = _range(operator, sdk_version(number))
        lowest = max(lowest, low)
        beyond = high if beyond is None else min(beyond, high or beyond)
    if lowest >= LAST:
        return "version 3 has no Training Compiler"
    if beyond is None:
        return "pip takes version 3, which has no Training Compiler" if lowest else ""
    first = sdk_version(container.sdk)
    return f"the Training Compiler with torch {container.pytorch} needs {container.sdk}" if beyond <= first else ""


def admits(requirement: str, version: str) -> bool:
    """Whether a requirement takes an installed version: pip leaves it then."""
    has = sdk_version(version)
    for operator, number, star in _PINNED.findall(requirement.partition(";")[0]):
        asked = sdk_version(number)
        whole = (*asked, *[0] * (len(has) - len(asked)))
        if operator in ("==", "===", "=", "!="):
            same = has[: len(asked)] == asked if star or operator == "=" else has == whole
            fits = same is not (operator == "!=")
        elif operator == "~=":
            fits = has >= whole and has[: len(asked) - 1] == asked[:-1]
        else:
            fits = {">=": has >= whole, "<=": has <= whole, ">": has > whole, "<": has < whole}[operator]
        if not fits:
            return False
    return True


def _range(operator: str, version: Version) -> tuple[Version, Version | None]:
    """The lowest version that a clause admits, and the first one above those it admits."""
    if operator in ("==", "===", "="):
        return version, (*version[:-1], version[-1] + 1)
    if operator == "~=":
        return version, (*version[:-2], version[-2] + 1) if len(version) > 1 else None
    if operator in (">=", ">"):
        return version, None
    if operator == "<":
        return (), version
    return (), (*version[:-1], version[-1] + 1) if operator == "<=" else None
