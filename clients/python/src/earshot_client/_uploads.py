"""Sends the bytes of files, and goes on after a break: parts that have arrived stay."""

from __future__ import annotations

import re
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ._flow import Flow, Load, Together
from ._requests import Call, Requests
from ._sources import Source, UploadSource, open_source
from .errors import ApiError, UnreachableError
from .records import CreatedFile, FileRecord, MultipartUpload, Upload

wait_seconds = 30
"""The service holds a request for at most 40 s; proxies often close silent connections after 60 s."""
_upload_seconds = 600.0
_links_at_once = 100
_most_rounds = 3
"""So often the same parts are sent for a service that then says they are missing."""
_usable = ("awaiting_upload", "processing", "ready")


def new_key() -> str:
    """An idempotency key."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class UploadProgress:
    """Progress of an upload."""

    sent_bytes: int
    """Bytes that were sent; fewer than before when a part is sent again."""
    total_bytes: int
    """Bytes of the whole file."""


OnUpload = Callable[[UploadProgress], object] | None


@dataclass(slots=True)
class _Sent:
    """What has been sent, by part. Parts are sent by several threads."""

    total: int
    tell: OnUpload
    by_part: dict[int, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, part: int, sent: int) -> None:
        with self.lock:
            if self.by_part.get(part) == sent:
                return
            self.by_part[part] = sent
            if self.tell is not None:
                self.tell(UploadProgress(min(self.total, sum(self.by_part.values())), self.total))


@dataclass(slots=True)
class UploadFlows:
    """Creates files and sends their bytes, in one PUT or in parts, with retries for each part."""

    requests: Requests
    broken: dict[object, str] = field(default_factory=dict)
    """Keys of uploads of files on disk that broke off, so that the next call goes on."""

    def upload(
        self,
        given: UploadSource,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        parts_at_once: int = 3,
        idempotency_key: str | None = None,
        on_progress: OnUpload = None,
    ) -> Flow[FileRecord]:
        """The record of a file that has arrived and was checked."""
        source: Source = yield Load(lambda: open_source(given))
        try:
            name = filename or source.name
            if name is None:
                raise ValueError(
                    'Expected filename, a name with extension such as "talk.wav", for bytes without a name'
                )
            created, key, is_new = yield from self._create(source, name, content_type, idempotency_key)
            file = created.file
            # The same key returns the same file, which may have arrived already.
            if file.status == "awaiting_upload":
                yield from self._send(source, created, key, is_new, parts_at_once, on_progress)
        finally:
            source.close()
        ready = yield from self.until_ready(f"/api/v1/files/{file.id}")
        return ready

    def until_ready(self, to: str) -> Flow[FileRecord]:
        """Waits until a file has arrived and is checked."""
        while True:
            file = yield from self.requests.record(FileRecord, Call(to=to, query={"wait": wait_seconds}))
            if file.status == "ready":
                return file
            if file.status in ("invalid", "deleted"):
                if file.error is not None:
                    raise ApiError(file.error.code, file.error.message)
                raise ApiError("file_expired", f"Expected the file {file.id} to arrive but it was deleted")

    def _create(
        self, source: Source, filename: str, content_type: str | None, given: str | None
    ) -> Flow[tuple[CreatedFile, str, bool]]:
        def ask(key: str) -> Flow[CreatedFile]:
            body = {"filename": filename, "sizeBytes": source.size_bytes, "idempotencyKey": key}
            if content_type is not None:
                body["contentType"] = content_type
            call = Call(method="POST", to="/api/v1/files", json=body, attempts=self.requests.upload_attempts)
            return self.requests.record(CreatedFile, call)

        if given is not None:
            created = yield from ask(given)
            return created, given, False
        known = self.broken.get(source.identity)
        if known is not None:
            try:
                created = yield from ask(known)
                if created.file.status in _usable:
                    return created, known, False
            except ApiError as thrown:
                # What the key was for is gone, or is another file.
                if thrown.code not in ("idempotency_key_reused", "file_expired"):
                    raise
        key = new_key()
        created = yield from ask(key)
        return created, key, True

    def _send(
        self, source: Source, created: CreatedFile, key: str, is_new: bool, parts_at_once: int, on_progress: OnUpload
    ) -> Flow[None]:
        sent = _Sent(source.size_bytes, on_progress)
        sent.put(0, 0)
        try:
            if created.multipart is not None:
                yield from self._send_parts(source, created.multipart, is_new, parts_at_once, sent)
            elif created.upload is not None:
                yield from self._send_whole(source, created.upload, sent)
            else:
                raise ApiError("unexpected_answer", "The service did not say where to send the file")
        except (UnreachableError, ApiError) as thrown:
            if not thrown.retryable:
                yield from self._give_up(created.file.id)
                raise
            # What has arrived stays, for the next call.
            if source.identity is not None:
                self.broken[source.identity] = key
            if isinstance(thrown, UnreachableError):
                message = f'{thrown}. Upload again with idempotency_key="{key}" to go on'
                raise UnreachableError(message) from thrown.__cause__
            raise
        except BaseException as thrown:
            if not isinstance(thrown, GeneratorExit):
                yield from self._give_up(created.file.id)
            raise
        self.broken.pop(source.identity, None)

    def _give_up(self, file_id: str) -> Flow[None]:
        # The service reserves a slot for a running upload.
        try:
            to = f"/api/v1/files/{file_id}/abort"
            yield from self.requests.send(Call(method="POST", to=to, timeout_seconds=5, attempts=2))
        except (ApiError, UnreachableError):
            pass

    def _send_whole(self, source: Source, upload: Upload, sent: _Sent) -> Flow[None]:
        was_lost = False

        def lost() -> None:
            nonlocal was_lost
            was_lost = True
            sent.put(1, 0)

        body: bytes = yield Load(lambda: source.read(0, source.size_bytes))
        try:
            yield from self.requests.send(
                Call(
                    method="PUT",
                    to=upload.url,
                    headers=upload.headers,
                    body=body,
                    timeout_seconds=_upload_seconds,
                    attempts=self.requests.upload_attempts,
                    on_sent=lambda now: sent.put(1, now),
                    on_retry=lost,
                )
            )
        except ApiError as thrown:
            # The bytes had arrived, and only the answer was lost.
            if not (was_lost and thrown.code == "conflict"):
                raise
        sent.put(1, source.size_bytes)

    def _send_parts(
        self, source: Source, multipart: MultipartUpload, is_new: bool, parts_at_once: int, sent: _Sent
    ) -> Flow[None]:
        count = multipart.part_count
        if count != -(-source.size_bytes // multipart.part_size_bytes):
            raise ApiError(
                "unexpected_answer",
                f"Expected parts for {source.size_bytes} bytes but the service asks for {count} "
                f"of {multipart.part_size_bytes} bytes",
            )
        links = _PartLinks(self.requests, multipart)
        missing: Iterable[int] | None = range(1, count + 1)
        if not is_new:
            missing = yield from self._complete(multipart)
        rounds = 0
        while missing is not None:
            rounds += 1
            if rounds > _most_rounds:
                listed = ", ".join(str(part) for part in missing)
                raise ApiError(
                    "unexpected_answer",
                    f"Sent all parts {_most_rounds} times, but the service says that it misses {listed}",
                )
            wanted = list(missing)
            for part in set(range(1, count + 1)) - set(wanted):
                sent.put(part, _bytes_of(part, multipart, source))
            waiting = deque(wanted)
            stop = threading.Event()
            lanes = range(max(1, min(4, parts_at_once, len(wanted))))
            yield Together([self._lane(source, multipart, waiting, links, sent) for _ in lanes], stop)
            missing = yield from self._complete(multipart)

    def _lane(
        self, source: Source, multipart: MultipartUpload, waiting: deque[int], links: _PartLinks, sent: _Sent
    ) -> Flow[None]:
        while True:
            try:
                part = waiting.popleft()
            except IndexError:
                return
            length = _bytes_of(part, multipart, source)
            offset = (part - 1) * multipart.part_size_bytes

            def read(offset: int = offset, length: int = length) -> bytes:
                return source.read(offset, length)

            body: bytes = yield Load(read)
            link = yield from links.of(part)
            own = self._put(part, multipart.part_url.replace("{n}", str(part)), body, sent)
            own.attempts = self.requests.upload_attempts
            try:
                yield from self.requests.send(own if link is None else self._put(part, link, body, sent))
            except ApiError as thrown:
                # Joined already, or no longer there: completing tells.
                if link is None and thrown.code == "conflict":
                    continue
                if link is None:
                    raise
                links.drop()
                yield from self.requests.send(own)
            except UnreachableError:
                if link is None:
                    raise
                # The store cannot be reached from here; the service can reach it.
                links.drop()
                yield from self.requests.send(own)
            sent.put(part, length)

    def _put(self, part: int, to: str, body: bytes, sent: _Sent) -> Call:
        return Call(
            method="PUT",
            to=to,
            body=body,
            timeout_seconds=_upload_seconds,
            on_sent=lambda now: sent.put(part, now),
            on_retry=lambda: sent.put(part, 0),
        )

    def _complete(self, multipart: MultipartUpload) -> Flow[list[int] | None]:
        """The parts that are missing; None: the file is whole."""
        try:
            yield from self.requests.send(
                Call(
                    method="POST",
                    to=multipart.complete_url,
                    timeout_seconds=600,
                    attempts=self.requests.upload_attempts,
                )
            )
        except ApiError as thrown:
            listed = (thrown.details or {}).get("missingParts")
            if thrown.code != "conflict" or listed is None:
                raise
            return _missing(listed, multipart.part_count)
        return None


def _bytes_of(part: int, multipart: MultipartUpload, source: Source) -> int:
    whole = multipart.part_size_bytes
    return source.size_bytes - (multipart.part_count - 1) * whole if part == multipart.part_count else whole


def _missing(listed: Any, count: int) -> list[int]:
    def is_part(part: object) -> bool:
        return isinstance(part, int) and not isinstance(part, bool) and 1 <= part <= count

    if not isinstance(listed, list) or not listed or not all(is_part(each) for each in listed):
        raise ApiError(
            "unexpected_answer",
            f"Expected details.missingParts to list parts from 1 to {count} but received {listed!r}",
        )
    return sorted(set(listed))


class _PartLinks:
    """Links with which parts go straight to the object store. Older services offer none."""

    def __init__(self, requests: Requests, multipart: MultipartUpload) -> None:
        self._requests = requests
        self._to = re.sub(r"/complete$", "/links", multipart.complete_url)
        self._count = multipart.part_count
        self._pages: dict[int, dict[int, str]] = {}
        self._dropped = self._to == multipart.complete_url

    def drop(self) -> None:
        """The store cannot be reached from here."""
        self._dropped = True

    def of(self, part: int) -> Flow[str | None]:
        """None: send the part to the service."""
        if self._dropped:
            return None
        first = part - ((part - 1) % _links_at_once)
        if first not in self._pages:
            parts = list(range(first, min(first + _links_at_once, self._count + 1)))
            try:
                answer = yield from self._requests.json(Call(method="POST", to=self._to, json={"parts": parts}))
                self._pages[first] = {each["part"]: each["url"] for each in answer["links"]}
            except (ApiError, UnreachableError, KeyError, TypeError):
                self._dropped = True
                return None
        return self._pages[first].get(part)
