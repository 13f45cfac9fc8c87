"""Cut GitHub's own description of its REST interface down to what the bot uses: `python -m tests.bot.cut_api FILE`.

FILE: `package/generated/api.github.com.json` of the npm package `@octokit/openapi` (MIT). What is kept: the schemas of
parameters, requests and successful answers, and one example of an answer each; no prose. `nullable` becomes plain JSON
Schema, so that `jsonschema` judges it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("github_api.json")
OPERATIONS = {
    "/repos/{owner}/{repo}": ("get",),
    "/repos/{owner}/{repo}/pulls": ("get", "post"),
    "/repos/{owner}/{repo}/pulls/{pull_number}": ("get", "patch"),
    "/repos/{owner}/{repo}/pulls/{pull_number}/files": ("get",),
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": ("get", "post"),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("get", "post"),
    "/repos/{owner}/{repo}/issues/{issue_number}/labels": ("post",),
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": ("post",),
    "/repos/{owner}/{repo}/commits/{ref}": ("get",),
    "/repos/{owner}/{repo}/commits/{ref}/check-runs": ("get",),
    "/repos/{owner}/{repo}/commits/{ref}/status": ("get",),
    "/repos/{owner}/{repo}/pulls/{pull_number}/merge": ("put",),
    "/orgs/{org}/repos": ("get",),
    "/users/{username}/repos": ("get",),
    "/search/repositories": ("get",),
    "/repos/{owner}/{repo}/check-runs": ("post",),
    "/repos/{owner}/{repo}/check-runs/{check_run_id}": ("patch",),
    "/repos/{owner}/{repo}/collaborators/{username}/permission": ("get",),
    "/users/{username}": ("get",),
    "/app": ("get",),
    "/app/installations/{installation_id}/access_tokens": ("post",),
    "/app/hook/deliveries": ("get",),
    "/app/hook/deliveries/{delivery_id}/attempts": ("post",),
}
_PROSE = ("description", "example", "examples", "externalDocs", "x-github", "summary", "title", "deprecated", "default")


def cut(whole: dict[str, Any]) -> dict[str, Any]:
    """The operations, and the schemas they need by name."""
    needed: dict[str, Any] = {}
    operations = {
        f"{method.upper()} {path}": _operation(whole["paths"][path][method], whole, needed)
        for path, methods in OPERATIONS.items()
        for method in methods
    }
    about = "Cut from @octokit/openapi 23.0.2, MIT License, Copyright (c) 2020 Octokit contributors; see cut_api.py"
    return {"about": about, "operations": operations, "schemas": needed}


def _operation(operation: dict[str, Any], whole: dict[str, Any], needed: dict[str, Any]) -> dict[str, Any]:
    parameters = [_resolve(each, whole) for each in operation.get("parameters", ())]
    query = {each["name"]: _schema(each["schema"], whole, needed) for each in parameters if each["in"] == "query"}
    request = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    status = next(code for code in operation["responses"] if code.startswith("2"))
    content = _resolve(operation["responses"][status], whole)["content"]["application/json"]
    example = next(iter(content.get("examples", {"": {"value": None}}).values()))
    return {
        "query": query,
        "request": _schema(request, whole, needed) if request else None,
        "status": int(status),
        "response": _schema(content["schema"], whole, needed),
        "example": _resolve(example, whole)["value"],
    }


def _resolve(value: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in value:
        _, *parts = value["$ref"].split("/")
        found: Any = whole
        for part in parts:
            found = found[part]
        value = found
    return value


def _schema(value: Any, whole: dict[str, Any], needed: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_schema(each, whole, needed) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        if name not in needed:
            needed[name] = None
            needed[name] = _schema(_resolve(value, whole), whole, needed)
        return {"$ref": f"#/schemas/{name}"}
    plain = {
        key: {name: _schema(each, whole, needed) for name, each in inner.items()}
        if key == "properties"
        else _schema(inner, whole, needed)
        for key, inner in value.items()
        if key not in (*_PROSE, "nullable")
    }
    return {"anyOf": [plain, {"type": "null"}]} if value.get("nullable") else plain


def main() -> None:
    """Write the cut beside this file."""
    whole = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    KEPT.write_text(json.dumps(cut(whole), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
