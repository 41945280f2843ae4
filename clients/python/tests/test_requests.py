"""What the client does when a server or a connection fails."""

from __future__ import annotations

import inspect
import json
import time
from pathlib import Path
from typing import Any

import pytest

from earshot_client import ApiError, AsyncEarshot, Earshot, JobError, UnreachableError
from earshot_client._downloads import target_of

account = {"balance": 5, "balanceCents": 5, "availableCents": 5, "freeUsesLeft": {}, "prices": {}, "limits": {}}
quote = {"tool": "cut_audio", "seconds": 60, "credits": 1, "free": {"seconds": 60, "usesLeftToday": 3}}


def record(status: str = "ready") -> dict[str, Any]:
    return {
        "id": "file_1",
        "kind": "original",
        "status": status,
        "filename": "talk.wav",
        "contentType": "audio/wav",
        "sizeBytes": 10,
        "durationSeconds": 1.5,
        "format": "wav",
        "hasVideo": False,
        "hasAudio": True,
        "media": None,
        "error": None,
        "prices": None,
        "sourceJobId": None,
        "createdAt": "2026-11-30T10:00:00.000Z",
        "expiresAt": "2026-12-01T10:00:00.000Z",
        "ofANewerService": {"is": "left out"},
    }


def job(status: str, **more: Any) -> dict[str, Any]:
    return {
        "id": "job_1",
        "tool": "cut_audio",
        "status": status,
        "progress": 0.5,
        "stage": "cutting",
        "estimatedSecondsLeft": None,
        "outputs": [],
        "processedSeconds": None,
        "result": None,
        "free": False,
        "finishedBy": None,
        "error": None,
        "warnings": [],
        "createdAt": "2026-11-30T10:00:00.000Z",
        **more,
    }


def refusal(code: str, retryable: bool = False, **details: Any) -> dict[str, Any]:
    error = {"code": code, "message": f"No: {code}", "retryable": retryable, "nextAction": "Ask later."}
    return {"error": {**error, "details": details}}


def test_tries_again_after_a_broken_connection_and_after_a_busy_service(scripted: Any, client: Any) -> None:
    answers = iter([None, (503, b"busy"), (429, refusal("rate_limited"), {"retry-after": "0"}), (200, account)])
    server = scripted(lambda _: next(answers))
    assert client(server.base).account().balance == 5
    assert len(server.requests) == 4
    assert server.requests[0].headers["authorization"] == "Bearer svc_sk_test"


def test_a_refusal_is_an_error_with_all_that_the_service_says(scripted: Any, client: Any) -> None:
    answer = refusal("insufficient_balance", missing=3)
    server = scripted(lambda _: (402, answer, {"x-request-id": "req_9"}))
    with pytest.raises(ApiError) as caught:
        client(server.base).account()
    error = caught.value
    assert (error.code, error.status, error.retryable, error.request_id) == (
        "insufficient_balance",
        402,
        False,
        "req_9",
    )
    assert error.details == {"missing": 3}
    assert str(error) == "No: insufficient_balance (insufficient_balance) Ask later."
    assert len(server.requests) == 1


def test_a_wait_that_is_too_long_and_too_many_failures_end_the_call(scripted: Any, client: Any) -> None:
    server = scripted(lambda _: (429, refusal("rate_limited", True), {"retry-after": "3600"}))
    began = time.monotonic()
    with pytest.raises(ApiError) as caught:
        client(server.base).account()
    assert caught.value.retry_after_seconds == 3600
    assert time.monotonic() - began < 60
    gone = scripted(lambda _: None)
    with pytest.raises(UnreachableError, match="GET /api/v1/account got no answer"):
        client(gone.base, attempts=2).account()
    assert len(gone.requests) == 2


def test_an_answer_of_a_proxy_and_another_record_are_unexpected(scripted: Any, client: Any) -> None:
    answers = iter([(404, b"<h1>nginx</h1>"), (200, b"<html>"), (200, {"balance": 1})])
    server = scripted(lambda _: next(answers))
    ours = client(server.base)
    for said in (
        "answered 404 without an error of the service: <h1>nginx",
        "answered no JSON",
        "Expected balanceCents",
    ):
        with pytest.raises(ApiError, match=said) as caught:
            ours.account()
        assert caught.value.code == "unexpected_answer"


def test_a_key_may_come_from_a_function_and_is_not_sent_to_links(scripted: Any, client: Any) -> None:
    def answer(request: Any) -> Any:
        if request.path == "/link":
            return (200, b"bytes", {"etag": '"1"'})
        url = f"{server.base}/link"
        return (200, {"fileId": "file_1", "filename": "a.txt", "url": url, "expiresAt": "2026-12-01T10:00:00Z"})

    server = scripted(answer)
    ours = client(server.base, lambda: "token_1")
    download = ours.download("file_1")
    assert ours.done(download.read()) == b"bytes"
    first, second = server.requests
    assert first.headers["authorization"] == "Bearer token_1"
    assert "authorization" not in second.headers


def test_a_cancellation_is_not_repeated_if_the_first_may_have_arrived(scripted: Any, client: Any) -> None:
    server = scripted(lambda _: None)
    with pytest.raises(UnreachableError):
        client(server.base).cancel("job_1")
    assert len(server.requests) == 1


def test_orders_a_job_that_the_service_has_lost_again_with_the_same_key(scripted: Any, client: Any) -> None:
    looks = iter([(404, refusal("not_found")), (200, job("succeeded", id="job_2", progress=1))])

    def answer(request: Any) -> Any:
        if request.method == "POST":
            return (201, job("queued", id=f"job_{sum(each.method == 'POST' for each in server.requests)}"))
        return next(looks)

    server = scripted(answer)
    done = client(server.base).run("cut_audio", file_id="file_1", ranges=[(0, 1)])
    assert done.id == "job_2"
    orders = [each for each in server.requests if each.method == "POST"]
    assert len({each.headers["idempotency-key"] for each in orders}) == 1
    assert json.loads(orders[1].body) == {"tool": "cut_audio", "file_id": "file_1", "ranges": [[0, 1]]}
    assert server.requests[-1].path == "/api/v1/jobs/job_2"


def test_a_job_that_fails_is_an_error_with_its_record(scripted: Any, client: Any) -> None:
    error = {"code": "no_audio", "message": "There is no sound."}
    server = scripted(lambda request: (200, job("failed", error=error)))
    with pytest.raises(JobError, match="There is no sound") as caught:
        client(server.base).wait("job_1")
    assert caught.value.job.status == "failed"
    assert caught.value.code == "no_audio"


def test_a_timeout_cancels_the_job_of_run(scripted: Any, client: Any) -> None:
    server = scripted(lambda request: (200, job("running")))
    with pytest.raises(TimeoutError, match=r"Expected job_1 to end within 0.5 s but it is running, 50%"):
        client(server.base).run("cut_audio", file_id="file_1", ranges=[(0, 1)], timeout=0.5)
    assert server.requests[-1].path == "/api/v1/jobs/job_1/cancel"


def test_files_go_where_the_tool_takes_them(scripted: Any, client: Any) -> None:
    server = scripted(lambda request: (200, job("succeeded")))
    ours = client(server.base)
    ours.run("join_audio", "file_1", "file_2")
    ours.run("mix_tracks", "file_1", "file_2")
    ours.run("replace_audio", "file_1", "file_2")
    ours.run("level_speakers", "file_1")
    ours.run("level_speakers", "file_1", "file_2")
    sent = [{k: v for k, v in json.loads(each.body).items() if k != "tool"} for each in server.requests]
    assert sent == [
        {"file_ids": ["file_1", "file_2"]},
        {"tracks": [{"file_id": "file_1"}, {"file_id": "file_2"}]},
        {"video_file_id": "file_1", "audio_file_id": "file_2"},
        {"file_id": "file_1"},
        {"track_file_ids": ["file_1", "file_2"]},
    ]
    for files, said in ((["file_1", "file_2"], "at most 1 files"), (["file_1"], "received it by place and by name")):
        with pytest.raises(ValueError, match=said):
            ours.run("adjust_loudness", *files, file_id="file_3")
    with pytest.raises(FileNotFoundError, match=r"there is no talk\.wav"):
        ours.run("adjust_loudness", "talk.wav")
    assert len(server.requests) == 5


def test_lists_are_read_page_by_page(scripted: Any, client: Any) -> None:
    pages = iter([{"data": [job("failed")] * 2, "nextCursor": "c 1"}, {"data": [job("failed")], "nextCursor": None}])
    server = scripted(lambda _: (200, next(pages)))
    assert len(client(server.base).jobs(tool="cut_audio")) == 3
    assert [each.path for each in server.requests] == [
        "/api/v1/jobs?tool=cut_audio&limit=100",
        "/api/v1/jobs?tool=cut_audio&limit=100&cursor=c+1",
    ]


def test_a_download_goes_on_where_it_broke_off(scripted: Any, client: Any, tmp_path: Path) -> None:
    data = bytes(range(256)) * 1000

    def answer(request: Any) -> Any:
        if request.path != "/link":
            url = f"{server.base}/link"
            return (200, {"fileId": "f", "filename": "../a.bin", "url": url, "expiresAt": "2026-12-01T10:00:00Z"})
        start = int(request.headers.get("range", "bytes=0-")[6:-1])
        # More is promised than comes, until the last.
        end = min(len(data), start + 100_000)
        headers = {"etag": '"1"', "content-length": str(len(data) - start)}
        return (206 if start else 200, data[start:end], {**headers, "connection": "close"})

    server = scripted(answer)
    ours = client(server.base)
    saved = ours.done(ours.download("file_1").save(tmp_path))
    assert saved == tmp_path / "_a.bin"
    assert saved.read_bytes() == data
    assert [each.headers.get("if-range") for each in server.requests[1:]] == [None, '"1"', '"1"']
    assert list(tmp_path.iterdir()) == [saved]


def test_a_download_whose_file_has_changed_leaves_no_half_file(scripted: Any, client: Any, tmp_path: Path) -> None:
    def answer(request: Any) -> Any:
        if request.path != "/link":
            url = f"{server.base}/link"
            return (200, {"fileId": "f", "filename": "a.bin", "url": url, "expiresAt": "2026-12-01T10:00:00Z"})
        return (200, b"12345", {"etag": '"1"', "content-length": "10", "connection": "close"})

    server = scripted(answer)
    (tmp_path / "a.bin").write_bytes(b"before")
    ours = client(server.base)
    download = ours.download("file_1")
    with pytest.raises(UnreachableError, match="broke off after 5 bytes and the file has changed"):
        ours.done(download.save(tmp_path))
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"before"]


def test_names_of_downloads_do_not_leave_their_folder(tmp_path: Path) -> None:
    for name in ("../../etc/passwd", "/etc/passwd", "..", "a\0b", "C:\\x"):
        assert target_of(tmp_path, name).parent == tmp_path


def test_addresses_are_checked_and_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EARSHOT_URL", raising=False)
    for base in (None, "", "audio.example.org", "ftp://a"):
        with pytest.raises(ValueError, match="Expected base_url"):
            Earshot(base)
    monkeypatch.setenv("EARSHOT_URL", "http://127.0.0.1:1/prefix/")
    assert Earshot()._calls.requests.base_url == "http://127.0.0.1:1/prefix"


def test_both_clients_have_the_same_calls() -> None:
    def calls(kind: type) -> dict[str, list[str]]:
        members = inspect.getmembers(kind, callable)
        return {name: [*inspect.signature(each).parameters] for name, each in members if not name.startswith("_")}

    assert calls(Earshot) == calls(AsyncEarshot)
