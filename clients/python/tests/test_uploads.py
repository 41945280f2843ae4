"""Uploads over bad connections."""

from __future__ import annotations

import io
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from test_requests import record, refusal

from earshot_client import ApiError, UnreachableError

part_bytes = 100_000


class Uploads:
    """A service's side of uploads in parts."""

    def __init__(self, size: int) -> None:
        self.base = ""
        self.count = -(-size // part_bytes)
        self.parts: dict[int, bytes] = {}
        self.attempts: Counter[int] = Counter()
        self.keys: list[str] = []
        self.aborted = False
        self.status = "awaiting_upload"

    def __call__(self, request: Any) -> Any:
        if request.path == "/api/v1/files":
            self.keys.append(json.loads(request.body)["idempotencyKey"])
            multipart = {
                "partSizeBytes": part_bytes,
                "partCount": self.count,
                "partUrl": f"{self.base}/upload/t/parts/{{n}}",
                "completeUrl": f"{self.base}/upload/t/complete",
                "expiresAt": "2026-12-01T10:00:00Z",
            }
            file = record(self.status)
            return (201, {"file": file, "upload": None, "multipart": multipart, "uploadPageUrl": "x"})
        if found := re.match(r"/upload/t/parts/(\d+)$", request.path):
            self.parts[int(found[1])] = request.body
            return (204, b"")
        if request.path == "/upload/t/links":
            return (200, {"links": []})
        if request.path == "/upload/t/complete":
            missing = [part for part in range(1, self.count + 1) if part not in self.parts]
            if missing:
                return (409, refusal("conflict", missingParts=missing))
            self.status = "ready"
            return (200, record("ready"))
        if request.path.endswith("/abort"):
            self.aborted = True
            return (204, b"")
        return (200, record(self.status))

    @property
    def whole(self) -> bytes:
        return b"".join(self.parts[part] for part in sorted(self.parts))


def start(scripted: Any, size: int, **options: Any) -> Uploads:
    uploads = Uploads(size)
    uploads.base = scripted(uploads, **options).base
    return uploads


def test_parts_whose_connection_breaks_are_sent_again_and_the_others_are_not(scripted: Any, client: Any) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    data = random.Random(seed).randbytes(950_001)
    tried: Counter[str] = Counter()

    def cut(path: str) -> int | None:
        tried[path] += 1
        return 30_000 if "/parts/" in path and path[-1] in "37" and tried[path] <= 2 else None

    uploads = start(scripted, len(data), cut_after=cut)
    seen: list[int] = []
    file = client(uploads.base).upload(data, filename="talk.wav", on_progress=lambda at: seen.append(at.sent_bytes))
    assert file.status == "ready"
    assert file.duration_seconds == 1.5
    assert uploads.whole == data
    assert {path[-1]: count for path, count in tried.items() if "/parts/" in path and count > 1} == {"3": 3, "7": 3}
    assert seen[0] == 0
    assert max(seen) == seen[-1] == len(data)


def test_an_upload_that_broke_off_goes_on_with_the_next_call(scripted: Any, client: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.wav"
    path.write_bytes(random.Random(1).randbytes(500_000))
    is_down = True
    uploads = start(scripted, 500_000, cut_after=lambda at: 10 if is_down and at.endswith(("/4", "/5")) else None)
    ours = client(uploads.base, attempts=2)
    with pytest.raises(UnreachableError, match=r'Upload again with idempotency_key="[0-9a-f-]{36}" to go on'):
        ours.upload(path, parts_at_once=1)
    assert not uploads.aborted
    arrived = set(uploads.parts)
    assert arrived == {1, 2, 3}
    uploads.parts = dict.fromkeys(arrived, b"kept" * 25000)
    is_down = False
    ours.upload(path)
    assert len(set(uploads.keys)) == 1
    assert uploads.whole == b"kept" * 75_000 + path.read_bytes()[300_000:]


def test_a_service_that_lies_about_parts_ends_the_upload(scripted: Any, client: Any) -> None:
    def answer(request: Any) -> Any:
        if request.path == "/upload/t/complete":
            return (409, refusal("conflict", missingParts=listed))
        return uploads(request)

    uploads = Uploads(250_000)
    listed: list[int] = []
    for lie, said in (([1, 99], "Expected details.missingParts"), ([2], "Sent all parts 3 times")):
        listed[:] = lie
        uploads.base = scripted(answer).base
        uploads.aborted = False
        with pytest.raises(ApiError, match=said):
            client(uploads.base).upload(bytes(250_000), filename="talk.wav")
        assert uploads.aborted


def test_a_file_that_cannot_be_used_says_why(scripted: Any, client: Any) -> None:
    uploads = start(scripted, 250_000)
    invalid = {**record("invalid"), "error": {"code": "no_audio", "message": "There is no sound."}}
    uploads.base = scripted(
        lambda each: (200, invalid) if each.path.startswith("/api/v1/files/") else uploads(each)
    ).base
    with pytest.raises(ApiError, match="There is no sound") as caught:
        client(uploads.base).upload(bytes(250_000), filename="talk.wav")
    assert caught.value.code == "no_audio"


def test_open_files_are_read_from_where_they_are_and_streams_too(scripted: Any, client: Any) -> None:
    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return False

    opened = io.BytesIO(b"head" + bytes(200_001))
    opened.seek(4)
    for source in (opened, Stream(bytes(200_001)), bytearray(200_001), memoryview(bytes(200_001))):
        uploads = start(scripted, 200_001)
        client(uploads.base).upload(source, filename="talk.wav")
        assert uploads.whole == bytes(200_001)


def test_what_cannot_be_uploaded_is_said_before_anything_is_sent(scripted: Any, client: Any, tmp_path: Path) -> None:
    uploads = start(scripted, 1)
    ours = client(uploads.base)
    with pytest.raises(ValueError, match="Expected filename"):
        ours.upload(b"bytes")
    with pytest.raises(IsADirectoryError, match="Expected a file to upload"):
        ours.upload(tmp_path)
    with pytest.raises(TypeError, match="but received int"):
        ours.upload(3)
    with pytest.raises(FileNotFoundError):
        ours.upload(tmp_path / "nothere.wav")
    assert uploads.keys == []


def test_a_file_that_changes_while_it_is_uploaded_is_refused(scripted: Any, client: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.wav"
    path.write_bytes(bytes(300_000))

    def answer(request: Any) -> Any:
        if request.path.endswith("/parts/1"):
            path.write_bytes(bytes(100))
        return uploads(request)

    uploads = Uploads(300_000)
    uploads.base = scripted(answer).base
    with pytest.raises(ValueError, match="to stay as it is while it is uploaded"):
        client(uploads.base).upload(path, parts_at_once=1)
    assert uploads.aborted
