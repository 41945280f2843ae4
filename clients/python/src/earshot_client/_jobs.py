"""Starts jobs, and follows them."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from ._flow import Flow, Invoke, Sleep
from ._requests import Call, Requests
from ._sources import FileInput
from ._uploads import UploadFlows, new_key
from .errors import ApiError, EarshotError, JobError
from .inputs import FILE_PLACES
from .records import Chain, FileRecord, Job, ToolId

Work = TypeVar("Work", Job, Chain)

_first_pause_seconds = 0.2
_longest_pause_seconds = 2.0
_most_orders = 200
"""So many orders are remembered, the latest."""
_most_times_sent = 4
"""So often an order is sent, the first time included."""
_ended = ("succeeded", "failed", "cancelled")

ENDS_A_RUN = (KeyboardInterrupt, asyncio.CancelledError, TimeoutError)
"""What also cancels the job of run()."""


def path_of(job_id: str) -> str:
    return f"/api/v1/jobs/{quote(job_id, safe='')}"


def has_ended(work: Job | Chain) -> bool:
    return work.status in _ended


def until_ended(
    look: Callable[[], Flow[Work]],
    seen: Work | None,
    on_progress: Callable[[Work], object] | None,
    timeout: float | None,
) -> Flow[Work]:
    """Asks until it has ended, faster at first. Raises TimeoutError."""
    deadline = None if timeout is None else time.monotonic() + timeout
    work = seen if seen is not None else (yield from look())
    pause = _first_pause_seconds
    while not has_ended(work):
        if deadline is not None and time.monotonic() + pause > deadline:
            raise TimeoutError(
                f"Expected {work.id} to end within {timeout} s but it is {work.status}, {work.progress:.0%}"
            )
        yield Sleep(pause)
        pause = min(_longest_pause_seconds, pause * 1.3)
        before, work = work, (yield from look())
        is_new = (before.progress, before.stage, before.status) != (work.progress, work.stage, work.status)
        if is_new and on_progress is not None:
            yield Invoke(on_progress, (work,))
    return work


@dataclass(slots=True)
class _Order:
    """A job that this client has started."""

    tool: str
    json: Mapping[str, Any]
    key: str
    job_id: str
    """The job that is for it now."""
    times_sent: int = 1


@dataclass(slots=True)
class JobFlows:
    """Jobs of one client."""

    requests: Requests
    uploads: UploadFlows
    _orders: dict[str, _Order] = field(default_factory=dict)
    """By the id that the caller knows: that of the first answer."""

    def start(
        self, tool: ToolId, files: Sequence[FileInput], inputs: Mapping[str, Any], *, idempotency_key: str | None
    ) -> Flow[Job]:
        json = yield from self._inputs(tool, files, inputs)
        key = idempotency_key or new_key()
        job = yield from self._order(tool, json, key)
        if not has_ended(job):
            self._orders[job.id] = _Order(tool, json, key, job.id)
            if len(self._orders) > _most_orders:
                del self._orders[next(iter(self._orders))]
        return job

    def _order(self, tool: str, json: Mapping[str, Any], key: str) -> Flow[Job]:
        # Media info accepts no key and needs none: it is free.
        headers = {} if tool == "analyze_audio" else {"idempotency-key": key}
        call = Call(method="POST", to="/api/v1/jobs", json={**json, "tool": tool}, headers=headers)
        return self.requests.record(Job, call)

    def look(self, job_id: str) -> Flow[Job]:
        """The current record. A job that the service has lost is ordered again if this client has started it."""
        order = self._orders.get(job_id)
        try:
            job = yield from self.requests.record(Job, Call(to=path_of(order.job_id if order else job_id)))
        except ApiError as thrown:
            if thrown.code != "not_found" or order is None or order.times_sent >= _most_times_sent:
                raise
            # It was answered 201: a fail-over of the database has lost its row. The same key starts at most one job.
            order.times_sent += 1
            job = yield from self._order(order.tool, order.json, order.key)
            order.job_id = job.id
        if has_ended(job):
            self._orders.pop(job_id, None)
        return job

    def wait(
        self,
        job_id: str,
        *,
        on_progress: Callable[[Job], object] | None,
        timeout: float | None,
        seen: Job | None = None,
    ) -> Flow[Job]:
        job = yield from until_ended(lambda: self.look(job_id), seen, on_progress, timeout)
        if job.status != "succeeded":
            raise JobError(job)
        return job

    def run(
        self,
        tool: ToolId,
        files: Sequence[FileInput],
        inputs: Mapping[str, Any],
        *,
        idempotency_key: str | None,
        on_progress: Callable[[Job], object] | None,
        timeout: float | None,
    ) -> Flow[Job]:
        job = yield from self.start(tool, files, inputs, idempotency_key=idempotency_key)
        try:
            done = yield from self.wait(job.id, on_progress=on_progress, timeout=timeout, seen=job)
        except ENDS_A_RUN:
            # It may have ended meanwhile; the caller gets the reason.
            with suppress(EarshotError):
                yield from self.cancel(job.id, attempts=1)
            raise
        return done

    def cancel(self, job_id: str, *, attempts: int | None = None) -> Flow[Job]:
        order = self._orders.get(job_id)
        to = f"{path_of(order.job_id if order else job_id)}/cancel"
        return self.requests.record(Job, Call(method="POST", to=to, repeatable=False, attempts=attempts))

    def _inputs(self, tool: ToolId, files: Sequence[FileInput], inputs: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        """The body of an order: files of the call are uploaded, and put where the tool takes them."""
        places = FILE_PLACES.get(tool)
        given = {name: _ids(value) for name, value in inputs.items() if value is not None}
        if not files:
            return given
        if places is None:
            raise ValueError(f"Expected a tool such as {', '.join(sorted(FILE_PLACES))} but received {tool!r}")
        into_many = places.many is not None and (not places.single or len(files) > len(places.single))
        if not into_many and len(files) > len(places.single):
            said = f"{len(places.single)} files for {tool} ({' and '.join(places.single)})"
            raise ValueError(f"Expected at most {said} but received {len(files)}")
        names = (places.many,) if into_many else places.single[: len(files)]
        for name in names:
            if name in given:
                raise ValueError(f"Expected {name} of {tool} once but received it by place and by name")
        ids: list[str] = []
        for file in files:
            ids.append((yield from self.id_of(file)))
        if into_many:
            assert places.many is not None
            return {**given, places.many: [{"file_id": each} for each in ids] if places.objects else ids}
        return {**given, **dict(zip(places.single, ids, strict=False))}

    def id_of(self, file: FileInput) -> Flow[str]:
        """The id of a file of the account; what is none yet is uploaded."""
        if isinstance(file, FileRecord):
            return file.id
        if isinstance(file, str) and re.fullmatch(r"file_[0-9A-Za-z]+", file) and not Path(file).exists():
            return file
        if isinstance(file, str | os.PathLike) and not Path(file).is_file():
            raise FileNotFoundError(
                f"Expected a file to upload, or the id of a file of the account, but there is no {file}"
            )
        record = yield from self.uploads.upload(file)
        return record.id


def _ids(value: Any) -> Any:
    """Records of files in inputs become their ids."""
    if isinstance(value, FileRecord):
        return value.id
    if isinstance(value, Mapping):
        return {name: _ids(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_ids(each) for each in value]
    return value
