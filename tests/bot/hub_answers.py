"""How the hub answers: GitHub's rules for the operations that are used, over real repositories."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.bot import contract
from tests.bot.hub_campaigns import ANSWERS
from tests.bot.hub_state import BOT, Refusal, Said, State, say
from tests.bot.repositories import git, run

REPOSITORY = "/repos/{owner}/{repo}"


def answer(state: State, key: str, parts: list[str], query: dict[str, str], value: Any) -> Any:
    """What to answer. Raises Refusal."""
    return (_ANSWERS | ANSWERS)[key](state, parts, query, value)


def _list_pulls(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    owner, _, branch = query["head"].partition(":")
    repository = "/".join(parts[:2])
    wanted = {"open", "closed"} if query.get("state") == "all" else {query.get("state", "open")}
    found = [
        each
        for each in state.pulls.values()
        if each["head"] == branch and each["head_repository"].startswith(f"{owner}/") and each["state"] in wanted
        if each.get("repository", repository) == repository
    ]
    found.sort(key=lambda each: each["number"], reverse=query.get("direction") == "desc")
    return [_shown(state, parts, each, "GET") for each in found]


def _create_pull(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    repository = "/".join(parts[:2])
    heads = [state.tip(repository, value[name]) for name in ("head", "base")]
    if not all(heads):
        raise Refusal(422, "Validation Failed", ({"resource": "PullRequest", "field": "head", "code": "invalid"},))
    for each in state.pulls.values():
        here = (each["head_repository"], each["head"], each["base"])
        if each["state"] == "open" and here == (repository, value["head"], value["base"]):
            text = f"A pull request already exists for {parts[0]}:{value['head']}."
            raise Refusal(422, "Validation Failed", ({"resource": "PullRequest", "code": "custom", "message": text},))
    if run(state.root / f"{repository}.git", "merge-base", "--is-ancestor", *heads).returncode == 0:
        raise Refusal(422, "Validation Failed", ({"code": "custom", "message": "No commits between the two"},))
    if len(value["body"]) > 65_536:
        raise Refusal(422, "Validation Failed", ({"code": "custom", "message": "body is too long"},))
    number = len(state.pulls) + 1
    state.pulls[number] = {"number": number, "state": "open", "merged_at": None, "labels": [], "draft": False,
                           "repository": repository, "head_repository": repository, "sha": heads[0],
                           **value}  # fmt: skip
    return _shown(state, parts, state.pulls[number], "POST")


def _show_pull(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    return _shown(state, parts, _pull(state, parts), "GET one")


def _update_pull(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    pull = _pull(state, parts)
    state.notice_push()
    pull.update(value)
    return _shown(state, parts, pull, "PATCH")


def _pull(state: State, parts: list[str]) -> dict[str, Any]:
    pull = state.pulls.get(int(parts[2]))
    if pull is None or pull.get("repository", "/".join(parts[:2])) != "/".join(parts[:2]):
        raise Refusal(404, "Not Found")
    return pull


def _shown(state: State, parts: list[str], pull: dict[str, Any], method: str) -> dict[str, Any]:
    """A pull request as GitHub shows it in the answer to a method."""
    number = "/{pull_number}" if method in ("PATCH", "GET one") else ""
    found = contract.example(f"{method.split()[0]} {REPOSITORY}/pulls{number}", state.url)
    shown: dict[str, Any] = found[0] if isinstance(found, list) else found
    label = shown["labels"][0]
    repository = "/".join(parts[:2])
    shown.update({name: pull[name] for name in ("number", "state", "title", "body", "draft", "merged_at")})
    shown["url"] = f"{state.url}/repos/{repository}/pulls/{pull['number']}"
    shown["labels"] = [{**label, "name": name} for name in pull["labels"]]
    for side, owner in (("head", pull["head_repository"]), ("base", repository)):
        sha = state.tip(owner, pull[side]) if side == "base" or pull["state"] == "open" else ""
        shown[side].update(ref=pull[side], sha=sha or pull.get("sha") or "0" * 40)
        shown[side]["repo"]["full_name"] = owner
    return shown


def _files(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    (example,) = contract.example(f"GET {REPOSITORY}/pulls/{{pull_number}}/files", state.url)
    return [{**example, **each} for each in state.files.get(int(parts[2]), [])]


def _list_comments(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    (example,) = contract.example(f"GET {REPOSITORY}/issues/{{issue_number}}/comments", state.url)
    return [_said(example, each) for each in state.comments.get(int(parts[2]), [])]


def _said(example: dict[str, Any], said: Said) -> dict[str, Any]:
    written = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(said.at))
    return {**example, "body": str(said), "user": {**example["user"], "login": said.by}, "created_at": written}


def _comment(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    _pull(state, parts)
    state.comments.setdefault(int(parts[2]), []).append(say(value["body"]))
    example = contract.example(f"POST {REPOSITORY}/issues/{{issue_number}}/comments", state.url)
    return _said(example, state.comments[int(parts[2])][-1])


def _react(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    comment = int(parts[2])
    if comment in state.gone:
        raise Refusal(404, "Not Found")
    found = state.reactions.setdefault(comment, [])
    state.reactions[comment] = list(dict.fromkeys([*found, value["content"]]))
    example = contract.example(f"POST {REPOSITORY}/issues/comments/{{comment_id}}/reactions", state.url)
    return {**example, "content": value["content"]}


def _add_labels(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    pull, names = _pull(state, parts), value["labels"] if isinstance(value, dict) else value
    pull["labels"] = list(dict.fromkeys([*pull["labels"], *names]))
    example = contract.example(f"POST {REPOSITORY}/issues/{{issue_number}}/labels", state.url)[0]
    return [{**example, "name": name} for name in pull["labels"]]


def _list_reviews(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    (example,) = contract.example(f"GET {REPOSITORY}/pulls/{{pull_number}}/reviews", state.url)
    return [
        {**example, "body": each["body"], "commit_id": each["commit_id"]}
        for each in state.reviews.get(int(parts[2]), [])
    ]


def _review(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    _pull(state, parts)
    state.reviews.setdefault(int(parts[2]), []).append(value)
    example = contract.example(f"POST {REPOSITORY}/pulls/{{pull_number}}/reviews", state.url)
    return {**example, "body": value["body"], "commit_id": value["commit_id"]}


def _commit(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    folder = state.root / f"{'/'.join(parts[:2])}.git"
    done = run(folder, "log", "-1", "--format=%an%x00%ae%x00%cn%x00%ce", parts[2])
    if done.returncode:
        raise Refusal(422, f"No commit found for SHA: {parts[2]}")
    author, author_mail, committer, mail = done.stdout.decode().rstrip("\n").split("\0")
    found: dict[str, Any] = contract.example(f"GET {REPOSITORY}/commits/{{ref}}", state.url)
    found["sha"] = git(folder, "rev-parse", parts[2]).decode()
    found["commit"]["author"].update(name=author, email=author_mail)
    found["commit"]["committer"].update(name=committer, email=mail)
    return found


def _list_checks(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    key = f"GET {REPOSITORY}/commits/{{ref}}/check-runs"
    example = contract.example(key, state.url)["check_runs"][0]
    name = query.get("check_name")
    found = [each for each in state.checks.values() if each["head_sha"] == parts[2] and name in (None, each["name"])]
    return {"total_count": len(found), "check_runs": [_check(each, example) for each in found]}


def _start_check(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    id = len(state.checks) + 1
    state.checks[id] = {"id": id, "conclusion": None, "annotations": [], **value}
    return _check(state.checks[id], contract.example(f"POST {REPOSITORY}/check-runs", state.url))


def _update_check(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    check = state.checks[int(parts[2])]
    check["annotations"] += value.get("output", {}).get("annotations", [])
    check.update({name: text for name, text in value.items() if name != "output"})
    check["output"] = {name: text for name, text in value["output"].items() if name != "annotations"}
    return _check(check, contract.example(f"PATCH {REPOSITORY}/check-runs/{{check_run_id}}", state.url))


def _check(check: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    output = {**example["output"], **check.get("output", {}), "annotations_count": len(check["annotations"])}
    known = {name: check[name] for name in ("id", "head_sha", "name", "external_id", "status", "conclusion")}
    return {**example, **known, "output": output}


def _permission(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    if parts[2] not in state.permissions:
        raise Refusal(404, f"{parts[2]} is not a user")
    key = f"GET {REPOSITORY}/collaborators/{{username}}/permission"
    found: dict[str, Any] = contract.example(key, state.url)
    return {**found, "permission": state.permissions[parts[2]]}


def _repository(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    name = "/".join(parts[:2])
    found: dict[str, Any] = contract.example(f"GET {REPOSITORY}", state.url)
    return {**found, "full_name": name, "url": f"{state.url}/repos/{name}", "default_branch": "main", "fork": False,
            "archived": False, "disabled": False, "is_template": False, "topics": [],
            **state.facts.get(name, {})}  # fmt: skip


def _user(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    name = parts[0]
    if name != BOT and not any(each.startswith(f"{name}/") for each in state.repositories):
        raise Refusal(404, "Not Found")
    url = f"{state.url}/users/{name}"
    return {**contract.example("GET /users/{username}", state.url), "login": name, "url": url, "id": 4711}


def _registration(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    return {**contract.example("GET /app", state.url), **state.registration}


def _list_deliveries(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    return list(state.hook.tries)


def _redeliver(state: State, parts: list[str], query: dict[str, str], value: Any) -> Any:
    if not state.hook.redeliver(int(parts[0])):
        raise Refusal(404, "Not Found")
    return {}


_ANSWERS: dict[str, Callable[[State, list[str], dict[str, str], Any], Any]] = {
    "GET /app": _registration,
    "GET /app/hook/deliveries": _list_deliveries,
    "POST /app/hook/deliveries/{delivery_id}/attempts": _redeliver,
    "GET /users/{username}": _user,
    f"GET {REPOSITORY}": _repository,
    f"GET {REPOSITORY}/pulls": _list_pulls,
    f"POST {REPOSITORY}/pulls": _create_pull,
    f"GET {REPOSITORY}/pulls/{{pull_number}}": _show_pull,
    f"PATCH {REPOSITORY}/pulls/{{pull_number}}": _update_pull,
    f"GET {REPOSITORY}/pulls/{{pull_number}}/files": _files,
    f"GET {REPOSITORY}/pulls/{{pull_number}}/reviews": _list_reviews,
    f"POST {REPOSITORY}/pulls/{{pull_number}}/reviews": _review,
    f"GET {REPOSITORY}/issues/{{issue_number}}/comments": _list_comments,
    f"POST {REPOSITORY}/issues/{{issue_number}}/comments": _comment,
    f"POST {REPOSITORY}/issues/{{issue_number}}/labels": _add_labels,
    f"POST {REPOSITORY}/issues/comments/{{comment_id}}/reactions": _react,
    f"GET {REPOSITORY}/commits/{{ref}}": _commit,
    f"GET {REPOSITORY}/commits/{{ref}}/check-runs": _list_checks,
    f"POST {REPOSITORY}/check-runs": _start_check,
    f"PATCH {REPOSITORY}/check-runs/{{check_run_id}}": _update_check,
    f"GET {REPOSITORY}/collaborators/{{username}}/permission": _permission,
}
