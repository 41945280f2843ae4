"""Requests with retries."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from ._decode import decode
from ._flow import Answer, Close, Exchange, Flow, Invoke, Next, Open, OpenAnswer, Outgoing, Sleep, Unanswered
from .errors import ApiError, UnreachableError

Record = TypeVar("Record")
Key = str | Callable[[], str | Awaitable[str]] | None

_first_pause_seconds = 0.3
_longest_pause_seconds = 15.0
_passing_statuses = frozenset({408, 429, 502, 503, 504})
"""Answers of proxies and of servers that are full or starting: a retry may succeed."""


@dataclass(slots=True, kw_only=True)
class Call:
    """A request to be sent, with retries."""

    to: str
    """A path of the API, or a whole URL, which is a link: its token is the credential, and the API key is not sent."""
    method: str = "GET"
    query: Mapping[str, str | int | float | None] | None = None
    json: object | None = None
    body: bytes | memoryview | None = None
    headers: Mapping[str, str] | None = None
    timeout_seconds: float = 90
    repeatable: bool = True
    """False: not sent again if the service may have received it."""
    attempts: int | None = None
    """Default: the client's."""
    on_sent: Callable[[int], object] | None = None
    on_retry: Callable[[], object] | None = None
    """Called before the pause after which it is sent again."""

    @property
    def name(self) -> str:
        """For messages. Links are credentials and must not appear in them."""
        link = urlsplit(self.to)
        return f"{self.method} {f'a link of {link.scheme}://{link.netloc}' if link.scheme else self.to}"


@dataclass(slots=True, kw_only=True)
class Requests:
    """Sends calls."""

    base_url: str
    api_key: Key
    headers: Mapping[str, str]
    attempts: int
    upload_attempts: int
    longest_wait_seconds: float

    def send(self, call: Call) -> Flow[Answer]:
        """A successful answer, whole. Raises ApiError and UnreachableError."""
        answer = yield from self._tried(call, Exchange)
        assert isinstance(answer, Answer)
        return answer

    def open(self, call: Call) -> Flow[OpenAnswer]:
        """A successful answer whose body is read later."""
        answer = yield from self._tried(call, Open)
        assert isinstance(answer, OpenAnswer)
        return answer

    def json(self, call: Call) -> Flow[Any]:
        """The answer as JSON; None without a body."""
        answer = yield from self.send(call)
        if answer.status == 204 or not answer.content:
            return None
        try:
            return json.loads(answer.content)
        except ValueError as thrown:
            raise ApiError(
                "unexpected_answer", f"{call.name} answered no JSON: {thrown}", status=answer.status
            ) from None

    def record(self, kind: type[Record], call: Call) -> Flow[Record]:
        """The answer as a record."""
        value = yield from self.json(call)
        try:
            return decode(kind, value)
        except ValueError as thrown:
            raise ApiError("unexpected_answer", f"{call.name} answered something else: {thrown}") from None

    def _tried(self, call: Call, step: type[Exchange] | type[Open]) -> Flow[Answer | OpenAnswer]:
        most = call.attempts or self.attempts
        tried = 0
        while True:
            tried += 1
            failure: ApiError | UnreachableError
            request = yield from self._outgoing(call)
            asked: float | None = None
            try:
                answer: Answer | OpenAnswer = yield step(request)
            except Unanswered as thrown:
                failure = UnreachableError(f"{call.name} got no answer: {thrown}")
                failure.__cause__ = thrown.__cause__
                may_repeat = call.repeatable
            else:
                if 200 <= answer.status < 300:
                    return answer
                whole = answer if isinstance(answer, Answer) else (yield from _rest(answer))
                failure = _refusal(whole, call)
                asked = failure.retry_after_seconds
                may_repeat = answer.status in _passing_statuses or (call.repeatable and failure.retryable)
            pause = asked
            if pause is None:
                # Half of it random, so that clients that failed together do not retry together.
                pause = min(_longest_pause_seconds, _first_pause_seconds * 2 ** (tried - 1)) * (
                    0.5 + random.random() / 2
                )
            if not may_repeat or tried >= most or pause > self.longest_wait_seconds:
                raise failure
            if call.on_retry is not None:
                call.on_retry()
            yield Sleep(pause)

    def _outgoing(self, call: Call) -> Flow[Outgoing]:
        is_link = re.match(r"https?:", call.to) is not None
        url = call.to if is_link else self.base_url + call.to
        query = {name: value for name, value in (call.query or {}).items() if value is not None}
        if query:
            url += ("&" if "?" in url else "?") + urlencode(query)
        headers = {"accept": "application/json", **self.headers}
        if not is_link and self.api_key is not None:
            key = self.api_key if isinstance(self.api_key, str) else (yield Invoke(self.api_key))
            headers["authorization"] = f"Bearer {key}"
        content = call.body
        if call.json is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(call.json).encode()
        return Outgoing(
            method=call.method,
            url=url,
            headers={**headers, **(call.headers or {})},
            content=content,
            timeout_seconds=call.timeout_seconds,
            on_sent=call.on_sent,
        )


def _rest(answer: OpenAnswer) -> Flow[Answer]:
    content = b""
    try:
        while len(content) < 1_000_000 and (chunk := (yield Next(answer))):
            content += chunk
    except Unanswered:
        pass
    yield Close(answer)
    return Answer(answer.status, answer.headers, content)


def _refusal(answer: Answer, call: Call) -> ApiError:
    error = _error_in(answer.content)
    details = error.get("details")
    asked = details.get("retryAfterSeconds") if isinstance(details, dict) else None
    wait = _retry_after(answer.headers.get("retry-after"))
    text = answer.content[:200].decode("utf-8", "replace")
    return ApiError(
        error.get("code", "unexpected_answer"),
        error.get("message", f"{call.name} answered {answer.status} without an error of the service: {text}"),
        status=answer.status,
        # A service that is away for a while does not always say so in its error.
        retryable=answer.status == 503 or bool(error.get("retryable", answer.status >= 500)),
        next_action=error.get("nextAction"),
        details=details if isinstance(details, dict) else None,
        retry_after_seconds=wait if wait is not None else asked if isinstance(asked, int | float) else None,
        request_id=answer.headers.get("x-request-id"),
    )


def _error_in(content: bytes) -> dict[str, Any]:
    try:
        error = json.loads(content)["error"]
        return error if isinstance(error["code"], str) and isinstance(error["message"], str) else {}
    except (ValueError, KeyError, TypeError):
        return {}


def _retry_after(value: str | None) -> float | None:
    """Seconds, or a date (RFC 9110, 10.2.3)."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
