"""A forge on loopback: GitHub's REST interface as far as it is used, over real repositories, with its rules and faults.

Every request and answer is held against GitHub's own description (`contract`). What it cannot know is whether
github.com does as it describes.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt

from tests.bot import contract, githttp
from tests.bot.hub_answers import answer
from tests.bot.hub_state import Refusal, State

RIGHTS = {"pulls": "pull_requests", "issues": "pull_requests", "commits": "contents", "check-runs": "checks",
          "status": "statuses", "collaborators": "metadata", "": "metadata"}  # fmt: skip
"""What a token needs for the requests below a repository."""


class Hub(githttp.GitServer):
    """Repositories below `root/owner/name.git`, served at `git(name)`, and, as a forge does, beside the REST interface
    at `url`."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, "")
        self.RequestHandlerClass = _HubHandler
        self.state = State(root, self.url)
        self.apps: dict[int, bytes] = {}
        """The public keys of Apps, by number."""
        self.tokens: dict[str, tuple[str, dict[str, str]]] = {}
        """By token: the repository it is for (or `owner/*`), and its rights."""
        self.faults: dict[str, list[str]] = {}
        """By operation (or `*`), what goes wrong with the next ones: a key of `FAULTS`, `drop` or `lose`."""
        self.requests: list[str] = []
        """All operations asked for; writes to git are `PUSH`."""
        self.breaches: list[str] = []
        """What is not as GitHub describes it."""
        self.dies_at: int | None = None
        """From this write on (1-based) the line is dead: nothing that is asked is done any more."""
        self.renamed = False
        """Whether repositories have other names by now, to which git is sent on."""
        self.dies_after = False
        """Whether that write itself is still done, though its answer is lost."""
        self.lock = threading.RLock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A mistake of the hub's own fails the test, whatever the client makes of it."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.breaches.append(traceback.format_exc())

    @property
    def writes(self) -> list[str]:
        """The requests that change something."""
        return [each for each in self.requests if not each.startswith("GET")]

    def git(self, repository: str) -> str:
        """Where to fetch a repository from."""
        return f"{self.url}/git/{repository}.git"

    def allow(self, token: str, repository: str, **rights: str) -> str:
        """Make a token."""
        self.tokens[token] = (repository, {"metadata": "read", **rights})
        return token


@contextmanager
def serve(root: Path) -> Iterator[Hub]:
    """A hub for the time of the block."""
    with Hub(root) as hub:
        threading.Thread(target=hub.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield hub
        finally:
            hub.shutdown()


FAULTS: dict[str, tuple[int, dict[str, str], str]] = {
    "primary": (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "IN 1800"}, "API rate limit exceeded for x."),
    "secondary": (403, {"Retry-After": "37"}, "You have exceeded a secondary rate limit."),
    "secondary, silent": (403, {}, "You have exceeded a secondary rate limit."),
    "429": (429, {"Retry-After": "5"}, "Slow down"),
    "502": (502, {}, "Server Error"),
    "page": (200, {}, "{<html>a page of a proxy</html>"),
    "403": (403, {}, "Resource not accessible by integration"),
    "401": (401, {}, "Bad credentials"),
    "404": (404, {}, "Not Found"),
    "elsewhere": (301, {"Location": "http://localhost:9/repos/owner/name/pulls"}, "Moved Permanently"),
    "echo": (422, {}, "ECHO"),
    "rights": (422, {}, "The permissions requested are not granted to this installation."),
}
"""Status, headers and message. `IN n` becomes the time in n seconds; ECHO the request's own Authorization."""


class _HubHandler(githttp.GitHandler):
    server: Hub

    def do_GET(self) -> None:
        with self.server.lock:
            self._serve()

    do_POST = do_PATCH = do_PUT = do_GET

    def _serve(self) -> None:
        if re.match(r"/[^/]+/[^/]+\.git/", self.path):
            self.path = f"/git{self.path}"
        hub, path = self.server, urlsplit(self.path)
        body = self._body()
        is_push = path.path.endswith("/git-receive-pack")
        found = contract.find(self.command, path.path)
        key = "PUSH" if is_push else found[0] if found else f"{self.command} {path.path}"
        is_git = path.path.startswith("/git/")
        if not is_git or is_push:
            hub.requests.append(key)
        writes = len(hub.writes)
        is_write = not key.startswith("GET") and not (is_git and not is_push)
        is_dead = hub.dies_at is not None and writes >= hub.dies_at
        if is_dead and not (hub.dies_after and is_write and writes == hub.dies_at):
            return self._hang_up()
        fault = "" if is_git and not is_push else self._next_fault(key)
        if fault == "drop":
            return self._hang_up()
        is_lost = fault == "lose" or is_dead
        if fault in FAULTS:
            status, headers, content = self._fault(fault)
        elif is_git and hub.renamed:
            status, headers, content = 301, {"Location": f"{hub.url}/git/another{path.path[4:]}?{path.query}"}, b""
        elif is_git:
            status, headers, content = self._git(body)
        else:
            status, headers, content = self._rest(found, dict(parse_qsl(path.query)), body)
        if is_lost:
            return self._hang_up()
        return self._answer(status, headers, content)

    def _next_fault(self, key: str) -> str:
        for name in (key, "*"):
            if self.server.faults.get(name):
                return self.server.faults[name].pop(0)
        return ""

    def _fault(self, name: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, message = FAULTS[name]
        done = {key: str(int(time.time()) + int(text[3:])) if text.startswith("IN ") else text
                for key, text in headers.items()}  # fmt: skip
        message = self.headers.get("Authorization", "") if message == "ECHO" else message
        content = message if status == 200 else json.dumps({"message": message})
        return status, {"Content-Type": "application/json", **done}, content.encode()

    def _rest(
        self, found: tuple[str, list[str]] | None, query: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        hub, value = self.server, json.loads(body) if body else None
        if found is None:
            hub.breaches.append(f"{self.command} {self.path} is no operation that is known")
            return self._json(404, {"message": "Not Found"})
        key, parts = found
        asked = contract.breaches(key, "query", query) + contract.breaches(key, "request", value)
        hub.breaches += asked
        try:
            if asked:
                raise Refusal(422, "; ".join(asked))
            self._check_rights(key, parts)
            if key.startswith("POST /app/installations/"):
                return self._json(201, self._mint(key, parts, value))
            made = answer(hub.state, key, parts, query, value)
        except Refusal as refusal:
            return self._json(refusal.status, {"message": refusal.message, "errors": refusal.errors})
        link: dict[str, str] = {}
        if key.startswith("GET") and isinstance(made, list):
            made, link = self._page(made, query)
        hub.breaches += contract.breaches(key, "response", made)
        status, headers, content = self._json(contract.operations()[key]["status"], made)
        return status, headers | link, content

    def _page(self, found: list[Any], query: dict[str, str]) -> tuple[list[Any], dict[str, str]]:
        by = "cursor" if self.path.startswith("/app/hook/deliveries") else "page"
        size, page = int(query.get("per_page", "30")), int(query.get(by, "1").removeprefix("v1_"))
        after = urlencode(query | {by: f"v1_{page + 1}" if by == "cursor" else str(page + 1)})
        address = f"{self.server.url}{urlsplit(self.path).path}?{after}"
        link = {"Link": f'<{address}>; rel="next"'} if len(found) > page * size else {}
        return found[(page - 1) * size : page * size], link

    def _check_rights(self, key: str, parts: list[str]) -> None:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if key.split()[1].startswith("/app"):
            if not self._is_app(token):
                raise Refusal(401, "Bad credentials")
            return
        repository, rights = self.server.tokens.get(token, ("", {}))
        if scheme.lower() not in ("token", "bearer") or not repository:
            raise Refusal(401, "Bad credentials")
        if key.startswith(("GET /users/", "GET /orgs/", "GET /search/")):
            return
        if not fnmatchcase("/".join(parts[:2]), repository):
            raise Refusal(404, "Not Found")
        last = key.rpartition("/")[2]
        needed = RIGHTS[last if last in ("check-runs", "status") else "/".join(key.split("/")[4:5])]
        has = rights.get(needed, "")
        if has not in (("read", "write") if key.startswith("GET") else ("write",)):
            raise Refusal(403, "Resource not accessible by integration")

    def _is_app(self, token: str) -> bool:
        for number, key in self.server.apps.items():
            with suppress(jwt.InvalidTokenError):
                claims = jwt.decode(token, key, ["RS256"], options={"require": ["exp", "iat", "iss"]}, leeway=60)
                return str(claims["iss"]) == str(number) and claims["exp"] - claims["iat"] <= 660
        return False

    def _mint(self, key: str, parts: list[str], value: dict[str, Any]) -> dict[str, Any]:
        (name,) = value["repositories"]
        hub = self.server
        owner = hub.state.installations.get(int(parts[0]), "")
        known = [each for each in hub.state.repositories if each.endswith(f"/{name}") and each.startswith(owner)]
        if not known:
            raise Refusal(422, "There is at least one repository that does not exist or is not accessible.")
        (repository,) = known
        token = self.server.allow(f"ghs_{len(self.server.tokens):036d}", repository, **value["permissions"])
        made = {"token": token, "expires_at": "2099-01-01T00:00:00Z", "permissions": value["permissions"]}
        self.server.breaches += contract.breaches(key, "response", made)
        return made

    def _git(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        credential = self.headers.get("Authorization", "").removeprefix("Basic ")
        _, _, token = base64.b64decode(credential or "").decode().partition(":")
        repository, rights = self.server.tokens.get(token, ("", {}))
        self.path = self.path.removeprefix("/git")
        if repository and fnmatchcase(self.path, f"/{repository}.git/*") and "contents" in rights:
            if rights["contents"] == "write" or "git-receive-pack" not in self.path:
                answered = self._run_backend(body)
                if self.path.endswith("/git-receive-pack"):
                    self.server.state.notice_push()
                return answered
            return 403, {}, b"no right to push"
        return 401, {"WWW-Authenticate": 'Basic realm="git"'}, b""

    def _json(self, status: int, value: Any) -> tuple[int, dict[str, str], bytes]:
        return status, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(value).encode()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(2)
