"""The other calls, and what both clients are made of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from ._decode import decode_list
from ._flow import Flow
from ._jobs import JobFlows
from ._requests import Call, Key, Requests
from ._uploads import UploadFlows, new_key, wait_seconds
from .errors import ApiError
from .records import (
    Account,
    AutoRefill,
    CreatedFile,
    DownloadLink,
    FileRecord,
    Peaks,
    Quote,
    Recipe,
    ToolDescriptor,
    ToolId,
    Transcript,
)

Record = TypeVar("Record")

file_lists = "/api/v1/files"


def file_path(file: str | FileRecord) -> str:
    return f"{file_lists}/{quote(id_of(file), safe='')}"


def id_of(file: str | FileRecord) -> str:
    return file.id if isinstance(file, FileRecord) else file


def make_requests(
    base_url: str | None, api_key: Key, headers: Mapping[str, str] | None, attempts: int | None, longest_wait: float
) -> Requests:
    """Settings, with what the environment says. Raises ValueError."""
    url = base_url or os.environ.get("EARSHOT_URL")
    parts = urlsplit(url or "")
    if url is None or parts.scheme not in ("http", "https") or parts.netloc == "":
        raise ValueError(
            'Expected base_url, the address of the service such as "https://audio.example.org" '
            f"(or the environment's EARSHOT_URL), but received {url or 'none'}"
        )
    return Requests(
        base_url=url.rstrip("/"),
        api_key=api_key if api_key is not None else os.environ.get("EARSHOT_KEY"),
        headers=headers or {},
        attempts=min(20, max(1, attempts or 5)),
        upload_attempts=min(20, max(1, attempts or 10)),
        longest_wait_seconds=longest_wait,
    )


@dataclass(slots=True)
class Page:
    """A page of a list."""

    items: list[Any]
    next_cursor: str | None


@dataclass(slots=True)
class Calls:
    """Flows of the calls that are one request."""

    requests: Requests
    uploads: UploadFlows
    jobs: JobFlows

    @classmethod
    def of(cls, requests: Requests) -> Calls:
        uploads = UploadFlows(requests)
        return cls(requests, uploads, JobFlows(requests, uploads))

    def page(self, kind: type[Any], to: str, query: Mapping[str, Any], cursor: str | None) -> Flow[Page]:
        call = Call(to=to, query={**query, "limit": 100, "cursor": cursor})
        answer = yield from self.requests.json(call)
        return Page(_listed(kind, answer, call), answer.get("nextCursor"))

    def tools(self) -> Flow[list[ToolDescriptor]]:
        call = Call(to="/api/v1/tools")
        return _listed(ToolDescriptor, (yield from self.requests.json(call)), call)

    def recipes(self) -> Flow[list[Recipe]]:
        call = Call(to="/api/v1/chains/recipes")
        return _listed(Recipe, (yield from self.requests.json(call)), call)

    def quote(self, tool: ToolId, files: Sequence[str | FileRecord]) -> Flow[Quote]:
        body = {"tool": tool, "fileIds": [id_of(each) for each in files]}
        return self.requests.record(Quote, Call(method="POST", to="/api/v1/quote", json=body))

    def account(self) -> Flow[Account]:
        return self.requests.record(Account, Call(to="/api/v1/account"))

    def auto_refill(self) -> Flow[AutoRefill]:
        return self.requests.record(AutoRefill, Call(to="/api/v1/auto-refill"))

    def import_link(self, url: str, filename: str | None) -> Flow[FileRecord]:
        body = {"url": url} if filename is None else {"url": url, "filename": filename}
        file = yield from self.requests.record(FileRecord, Call(method="POST", to=f"{file_lists}/import", json=body))
        return (yield from self.uploads.until_ready(file_path(file)))

    def create_upload_page(self) -> Flow[CreatedFile]:
        return self.requests.record(CreatedFile, Call(method="POST", to=file_lists, json={"idempotencyKey": new_key()}))

    def file(self, file: str | FileRecord) -> Flow[FileRecord]:
        return self.requests.record(FileRecord, Call(to=file_path(file)))

    def download_link(self, file: str | FileRecord) -> Flow[DownloadLink]:
        return self.requests.record(DownloadLink, Call(to=f"{file_path(file)}/download"))

    def delete_file(self, file: str | FileRecord) -> Flow[None]:
        yield from self.requests.send(Call(method="DELETE", to=file_path(file)))

    def transcript(
        self, file: str | FileRecord, from_seconds: float | None, to_seconds: float | None, detail: str | None
    ) -> Flow[Transcript]:
        query = {"from": from_seconds, "to": to_seconds, "detail": detail}
        return self.requests.record(Transcript, Call(to=f"{file_path(file)}/transcript", query=query))

    def peaks(self, file: str | FileRecord, level: int | None, first: int | None, count: int | None) -> Flow[Peaks]:
        query = {"wait": wait_seconds, "level": level, "first": first, "count": count}
        while True:
            peaks = yield from self.requests.record(Peaks, Call(to=f"{file_path(file)}/peaks", query=query))
            if peaks.status != "processing":
                return peaks


def _listed(kind: type[Record], answer: Any, call: Call) -> list[Record]:
    try:
        return decode_list(kind, answer["data"])
    except (ValueError, KeyError, TypeError) as thrown:
        raise ApiError("unexpected_answer", f"{call.name} answered something else: {thrown}") from None
