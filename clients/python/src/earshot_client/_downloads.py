"""Downloads that go on after a break."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from ._flow import Close, Flow, Next, OpenAnswer, Sleep, Unanswered, run_flow, run_flow_async
from ._requests import Call, Requests
from .errors import UnreachableError
from .records import DownloadLink
from .sound import Sound

_tries = 5


class _Reading:
    """The bytes of a file; after a break the rest, as long as the file has not changed."""

    def __init__(self, requests: Requests, link: DownloadLink, answer: OpenAnswer) -> None:
        self._requests, self._link, self._answer = requests, link, answer
        self._etag = answer.headers.get("etag")
        self.filename = link.filename
        self.content_type = answer.headers.get("content-type", "application/octet-stream")
        length = answer.headers.get("content-length")
        self.size_bytes = None if length is None else int(length)
        self._received = 0

    def next(self) -> Flow[bytes]:
        """Empty: the end."""
        failures = 0
        while True:
            try:
                chunk: bytes = yield Next(self._answer)
            except Unanswered as thrown:
                failures += 1
                yield Close(self._answer)
                said = f"The download broke off after {self._received} bytes"
                if self._etag is None or failures >= _tries:
                    raise UnreachableError(said) from thrown.__cause__
                yield Sleep(0.3 * failures)
                range_of = {"accept": "*/*", "range": f"bytes={self._received}-", "if-range": self._etag}
                self._answer = yield from self._requests.open(Call(to=self._link.url, headers=range_of))
                if self._answer.status != 206:
                    yield Close(self._answer)
                    raise UnreachableError(f"{said} and the file has changed") from None
                continue
            self._received += len(chunk)
            return chunk

    def close(self) -> Flow[None]:
        yield Close(self._answer)


def open_download(requests: Requests, file_id: str) -> Flow[_Reading]:
    """Asks for the link of a file, and for its bytes."""
    to = f"/api/v1/files/{quote(file_id, safe='')}/download"
    link = yield from requests.record(DownloadLink, Call(to=to))
    # Bytes as they are: a compressed answer could not go on in its middle.
    headers = {"accept": "*/*", "accept-encoding": "identity"}
    answer = yield from requests.open(Call(to=link.url, headers=headers))
    return _Reading(requests, link, answer)


def target_of(path: str | os.PathLike[str] | None, filename: str) -> Path:
    """Where a download is written: a folder takes the file's own name, without what would leave the folder."""
    safe = re.sub(r'[/\\:\0<>|?*"]', "_", filename).lstrip(".") or "download"
    if path is None:
        return Path(safe)
    target = Path(path)
    is_folder = target.is_dir() or str(path).endswith(("/", os.sep))
    return target / safe if is_folder else target


class _Writing:
    """A file that is there only when it is whole."""

    def __init__(self, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        self._target = target
        self._part = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.part")
        self.file = open(self._part, "wb")  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, at: TracebackType | None
    ) -> None:
        self.file.close()
        if kind is None:
            os.replace(self._part, self._target)
        else:
            with suppress(OSError):
                self._part.unlink()


class _Named:
    """What is known of a download before its bytes."""

    def __init__(self, reading: _Reading) -> None:
        self._reading = reading
        self.filename = reading.filename
        """Name with extension."""
        self.content_type = reading.content_type
        """Media type of the bytes."""
        self.size_bytes = reading.size_bytes
        """Total bytes; None: unknown."""


class Download(_Named):
    """A file being downloaded. Read it once, in one of these ways; leaving a with block closes it."""

    def __init__(self, reading: _Reading, http: httpx.Client) -> None:
        super().__init__(reading)
        self._http = http

    def __iter__(self) -> Iterator[bytes]:
        while chunk := run_flow(self._reading.next(), self._http):
            yield chunk

    def read(self) -> bytes:
        """All bytes, in memory."""
        return b"".join(self)

    def text(self) -> str:
        """For a transcript or a subtitle file."""
        return self.read().decode()

    def json(self) -> Any:
        """For a report or a transcript."""
        return json.loads(self.read())

    def sound(self) -> Sound:
        """The samples, as float32."""
        return Sound.from_bytes(self.read())

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes the bytes; a folder takes the file's own name. The path has either the whole file or what it had."""
        target = target_of(path, self.filename)
        with _Writing(target) as writing:
            for chunk in self:
                writing.file.write(chunk)
        return target

    def close(self) -> None:
        run_flow(self._reading.close(), self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncDownload(_Named):
    """As Download, for an event loop."""

    def __init__(self, reading: _Reading, http: httpx.AsyncClient) -> None:
        super().__init__(reading)
        self._http = http

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await run_flow_async(self._reading.next(), self._http):
            yield chunk

    async def read(self) -> bytes:
        """All bytes, in memory."""
        return b"".join([chunk async for chunk in self])

    async def text(self) -> str:
        """For a transcript or a subtitle file."""
        return (await self.read()).decode()

    async def json(self) -> Any:
        """For a report or a transcript."""
        return json.loads(await self.read())

    async def sound(self) -> Sound:
        """The samples, as float32."""
        return Sound.from_bytes(await self.read())

    async def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes the bytes; a folder takes the file's own name. The path has either the whole file or what it had."""
        target = target_of(path, self.filename)
        with _Writing(target) as writing:
            async for chunk in self:
                writing.file.write(chunk)
        return target

    async def close(self) -> None:
        await run_flow_async(self._reading.close(), self._http)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
