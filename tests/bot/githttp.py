"""Bare repositories over HTTP on loopback: `git http-backend` behind a token, as a forge serves them."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class GitServer(ThreadingHTTPServer):
    """Serves the repositories below `root` to who has the token. What it was asked is kept."""

    daemon_threads = True

    def __init__(self, root: Path, token: str) -> None:
        super().__init__(("127.0.0.1", 0), GitHandler)
        self.root, self.token = root, token
        self.authorizations: list[str] = []
        self.redirect_to = ""
        """Where to send everybody instead."""
        self.complaint = ""
        """What to answer to everybody instead, with 403."""

    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serve(root: Path, token: str) -> Iterator[GitServer]:
    """A server for the time of the block."""
    with GitServer(root, token) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class GitHandler(BaseHTTPRequestHandler):
    """One request."""

    server: GitServer

    def do_GET(self) -> None:
        authorization = self.headers.get("Authorization", "")
        self.server.authorizations.append(authorization)
        expected = base64.b64encode(f"x-access-token:{self.server.token}".encode()).decode()
        if self.server.redirect_to:
            self._answer(302, {"Location": self.server.redirect_to + self.path}, b"")
        elif self.server.complaint:
            self._answer(403, {"Content-Type": "text/plain"}, self.server.complaint.encode())
        elif authorization != f"Basic {expected}":
            self._answer(401, {"WWW-Authenticate": 'Basic realm="git"'}, b"")
        else:
            self._answer(*self._run_backend(self._body()))

    do_POST = do_GET

    def _run_backend(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "someone",
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        return int(headers.pop("Status", "200").split()[0]), headers, content

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""
