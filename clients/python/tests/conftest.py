"""Servers that the tests talk to: one that misbehaves as told, and a real service."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from earshot_client import AsyncEarshot, Earshot

root = Path(__file__).resolve().parents[3]


class Request:
    """A request that came."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method, self.path, self.headers, self.body = method, path, headers, body

    def __repr__(self) -> str:
        return f"{self.method} {self.path}"


Reply = tuple[int, Any] | tuple[int, Any, dict[str, str]] | None
"""Status, JSON or bytes, headers; None: the connection is cut."""


class Scripted:
    """A server on 127.0.0.1 whose answers the test gives."""

    def __init__(
        self, answer: Callable[[Request], Reply], cut_after: Callable[[str], int | None] | None = None
    ) -> None:
        import json

        self.requests: list[Request] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _take(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                limit = None if cut_after is None else cut_after(self.path)
                body = self.rfile.read(length if limit is None else min(length, limit))
                request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                outer.requests.append(request)
                reply = None if limit is not None and limit < length else answer(request)
                if reply is None:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, value, *more = reply
                content = value if isinstance(value, bytes) else json.dumps(value).encode()
                given: dict[str, str] = more[0] if more else {}
                self.send_response(status)
                for name, text in {"content-length": str(len(content)), **given}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = _take

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    started: list[Scripted] = []

    def start(*args: Any, **options: Any) -> Scripted:
        started.append(Scripted(*args, **options))
        return started[-1]

    yield start
    for each in started:
        each.close()


class Both:
    """The calls of a client, whichever of the two it is, as plain calls."""

    def __init__(self, client: Earshot | AsyncEarshot) -> None:
        self._client = client
        self._loop = asyncio.new_event_loop() if isinstance(client, AsyncEarshot) else None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            value = getattr(self._client, name)(*args, **options)
            if self._loop is None:
                return list(value) if hasattr(value, "__next__") else value
            if hasattr(value, "__anext__"):

                async def collect(items: Any = value) -> list[Any]:
                    return [item async for item in items]

                value = collect()
            return self._loop.run_until_complete(value)

        return call

    def done(self, value: Any) -> Any:
        """The result of a method of what a call answered."""
        return value if self._loop is None else self._loop.run_until_complete(value)

    def close(self) -> None:
        self.__getattr__("close")()
        if self._loop is not None:
            self._loop.close()


@pytest.fixture(params=["plain", "async"])
def client(request: pytest.FixtureRequest) -> Iterator[Callable[..., Both]]:
    made: list[Both] = []

    def make(base: str, key: str | None = "svc_sk_test", **options: Any) -> Both:
        kind: Any = Earshot if request.param == "plain" else AsyncEarshot
        made.append(Both(kind(base, key, **options)))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Service:
    """A real service with an embedded database, which can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.base = f"http://127.0.0.1:{self.port}"
        self.start()
        found = re.search(r"svc_sk_\w+", self.log)
        assert found is not None, self.log
        self.key = found.group()

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def start(self) -> None:
        # Small files in parts too.
        options = ["--single-put-bytes", "1000000", "--part-bytes", "5242880"]
        command: list[str | Path] = [root / "earshot", "serve", "--data", self.data, "--port", str(self.port), *options]
        path = f"{root / 'node_modules/.bin'}{os.pathsep}{os.environ['PATH']}"
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, env={**os.environ, "PATH": path}
            )
        until(lambda: "Earshot is listening" in self.log and self.process.poll() is None, self)

    def kill(self) -> None:
        """As a machine that loses its power: nothing can be put in order."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # Its database has a process group of its own, and ends when its parent is gone.
        pid_file = self.data / "postgres" / "postmaster.pid"
        if pid_file.exists():
            pid = int(pid_file.read_text().split()[0])
            until(lambda: not Path(f"/proc/{pid}").exists() or not alive(pid), self, may_be_gone=True)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(120)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(condition: Callable[[], bool], service: Service, *, may_be_gone: bool = False) -> None:
    while not condition():
        if not may_be_gone and service.process.poll() is not None:
            raise RuntimeError(f"The service ended: {service.log}")
        time.sleep(0.05)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    yield started
    started.stop()
