"""How the hub answers what only campaigns ask: lists of repositories, the state of checks, merging."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.bot import contract
from tests.bot.hub_state import Refusal, State
from tests.bot.repositories import git

REPOSITORY = "/repos/{owner}/{repo}"


def _listed(state: State, name: str, key: str) -> dict[str, Any]:
    found: Any = contract.example(key, state.url)
    shown: dict[str, Any] = (found["items"] if isinstance(found, dict) else found)[0]
    known = {"fork": False, "archived": False, "disabled": False, "is_template": False, "topics": []}
    return {**shown, "full_name": name, "default_branch": "main", **known, **state.facts.get(name, {})}


def _of_account(key: str) -> Callable[..., Any]:
    def list_them(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
        found = sorted(name for name in state.repositories if name.startswith(f"{parts[0]}/"))
        if not found:
            raise Refusal(404, "Not Found")
        return [_listed(state, name, key) for name in found]

    return list_them


def _search(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    topic = query["q"].removeprefix("topic:")
    names = [name for name in state.repositories if topic in state.facts.get(name, {}).get("topics", ())]
    found = [_listed(state, name, "GET /search/repositories") for name in names]
    return {"total_count": len(found), "incomplete_results": False, "items": found}


def _status(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    example: dict[str, Any] = contract.example(f"GET {REPOSITORY}/commits/{{ref}}/status", state.url)
    known = state.statuses.get(parts[2])
    return {**example, "state": known or "pending", "total_count": int(known is not None), "sha": parts[2],
            "statuses": example["statuses"][: int(known is not None)]}  # fmt: skip


def _merge(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    name, pull = "/".join(parts[:2]), state.pulls[int(parts[2])]
    head = state.tip(name, pull["head"])
    if pull["state"] != "open" or pull["draft"]:
        raise Refusal(405, "Pull Request is not mergeable")
    if value.get("sha") not in (None, head):
        raise Refusal(409, "Head branch was modified. Review and try the merge again.")
    folder = state.root / f"{name}.git"
    base = state.tip(name, pull["base"])
    made = git(folder, "commit-tree", "-p", base, "-p", head, "-m", "Merge", f"{head}^{{tree}}").decode()
    git(folder, "update-ref", f"refs/heads/{pull['base']}", made)
    pull.update(state="closed", merged_at="2026-01-01T00:00:00Z", sha=head)
    example = contract.example(f"PUT {REPOSITORY}/pulls/{{pull_number}}/merge", state.url)
    return {**example, "sha": made}


ANSWERS: dict[str, Callable[[State, list[str], dict[str, str], Any], Any]] = {
    "GET /orgs/{org}/repos": _of_account("GET /orgs/{org}/repos"),
    "GET /users/{username}/repos": _of_account("GET /users/{username}/repos"),
    "GET /search/repositories": _search,
    f"GET {REPOSITORY}/commits/{{ref}}/status": _status,
    f"PUT {REPOSITORY}/pulls/{{pull_number}}/merge": _merge,
}
