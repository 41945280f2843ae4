"""Calls without input and output: generators that yield what is to be done, and two drivers that do it.

Each call is written once. `run_flow` does its steps in this thread, `run_flow_async` in an event loop.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

Result = TypeVar("Result")
Flow = Generator["Step", Any, Result]
"""A call: it yields steps, is sent their results, and returns its own."""

_chunk_bytes = 65_536


class Unanswered(Exception):
    """A request that got no answer."""


class Stopped(Exception):
    """Another part of the same upload has failed, so this one ends."""


@dataclass(slots=True)
class Outgoing:
    """A request."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | memoryview | None = None
    timeout_seconds: float = 90
    """Longest silence of the other side."""
    on_sent: Callable[[int], object] | None = None
    """Called with the bytes of the body that were sent."""


@dataclass(slots=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(slots=True)
class Exchange:
    """Sends a request and reads the answer: an Answer. Raises Unanswered."""

    request: Outgoing


@dataclass(slots=True)
class Open:
    """Sends a request and reads the head of the answer: an OpenAnswer. Raises Unanswered."""

    request: Outgoing


@dataclass(slots=True)
class Next:
    """The next bytes of an open answer; empty: its end. Raises Unanswered."""

    answer: OpenAnswer


@dataclass(slots=True)
class Close:
    """Closes an open answer."""

    answer: OpenAnswer


@dataclass(slots=True)
class Sleep:
    """A pause."""

    seconds: float


@dataclass(slots=True)
class Invoke:
    """Calls a function of the caller's, which may be a coroutine function with an asynchronous client."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(slots=True)
class Load:
    """Calls a function that reads a disk, outside of an event loop's thread."""

    function: Callable[[], Any]


@dataclass(slots=True)
class Together:
    """Runs flows at the same time. The first that fails stops the others."""

    flows: Sequence[Flow[None]]
    stop: threading.Event


Step = Exchange | Open | Next | Close | Sleep | Invoke | Load | Together


@dataclass(slots=True)
class OpenAnswer:
    """An answer whose body is read piece by piece."""

    status: int
    headers: Mapping[str, str]
    response: httpx.Response
    chunks: Any


def _body(request: Outgoing, stop: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    content = memoryview(request.content or b"")
    sent = 0
    while sent < len(content):
        if stop():
            raise Stopped
        yield bytes(content[sent : sent + _chunk_bytes])
        sent = min(len(content), sent + _chunk_bytes)
        if request.on_sent is not None:
            request.on_sent(sent)


async def _body_async(request: Outgoing) -> AsyncIterator[bytes]:
    for chunk in _body(request):
        yield chunk


def _arguments(request: Outgoing, content: Any) -> dict[str, Any]:
    headers = dict(request.headers)
    if request.content is not None:
        headers["content-length"] = str(len(request.content))
    timeout = httpx.Timeout(request.timeout_seconds, connect=30, write=120, pool=None)
    given = {"headers": headers, "timeout": timeout}
    return given if request.content is None else {**given, "content": content}


def run_flow(flow: Flow[Result], http: httpx.Client, stop: Callable[[], bool] = lambda: False) -> Result:
    """Does the steps of a flow in this thread."""
    try:
        step = next(flow)
        while True:
            try:
                done = _do(step, http, stop)
            except BaseException as thrown:
                step = flow.throw(thrown)
            else:
                step = flow.send(done)
    except StopIteration as end:
        result: Result = end.value
        return result


def _do(step: Step, http: httpx.Client, stop: Callable[[], bool]) -> object:
    match step:
        case Exchange(request) | Open(request):
            sent = http.build_request(request.method, request.url, **_arguments(request, _body(request, stop)))
            try:
                response = http.send(sent, stream=isinstance(step, Open), follow_redirects=request.content is None)
            except httpx.TransportError as thrown:
                raise Unanswered(str(thrown) or type(thrown).__name__) from thrown
            if isinstance(step, Exchange):
                return Answer(response.status_code, response.headers, response.content)
            return OpenAnswer(response.status_code, response.headers, response, response.iter_bytes())
        case Next(answer):
            try:
                return next(answer.chunks, b"")
            except httpx.TransportError as thrown:
                raise Unanswered(str(thrown) or type(thrown).__name__) from thrown
        case Close(answer):
            answer.response.close()
        case Sleep(seconds):
            time.sleep(seconds)
        case Invoke(function, arguments):
            value = function(*arguments)
            if inspect.isawaitable(value):
                if inspect.iscoroutine(value):
                    value.close()
                raise TypeError("Expected a plain function; coroutine functions need AsyncEarshot")
            return value
        case Load(function):
            return function()
        case Together(flows, event):
            _do_together(flows, event, http)
    return None


def _do_together(flows: Sequence[Flow[None]], stop: threading.Event, http: httpx.Client) -> None:
    with ThreadPoolExecutor(max_workers=max(1, len(flows))) as pool:
        futures = [pool.submit(run_flow, flow, http, stop.is_set) for flow in flows]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            if not all(each.done() and each.exception() is None for each in futures):
                stop.set()
    failures = [thrown for each in futures if (thrown := each.exception()) is not None]
    if failures:
        raise next((each for each in failures if not isinstance(each, Stopped)), failures[0])


async def run_flow_async(flow: Flow[Result], http: httpx.AsyncClient) -> Result:
    """Does the steps of a flow in an event loop."""
    try:
        step = next(flow)
        while True:
            try:
                done = await _do_async(step, http)
            except BaseException as thrown:
                step = flow.throw(thrown)
            else:
                step = flow.send(done)
    except StopIteration as end:
        result: Result = end.value
        return result


async def _do_async(step: Step, http: httpx.AsyncClient) -> object:
    match step:
        case Exchange(request) | Open(request):
            sent = http.build_request(request.method, request.url, **_arguments(request, _body_async(request)))
            try:
                response = await http.send(
                    sent, stream=isinstance(step, Open), follow_redirects=request.content is None
                )
            except httpx.TransportError as thrown:
                raise Unanswered(str(thrown) or type(thrown).__name__) from thrown
            if isinstance(step, Exchange):
                return Answer(response.status_code, response.headers, response.content)
            return OpenAnswer(response.status_code, response.headers, response, response.aiter_bytes())
        case Next(answer):
            try:
                return await anext(answer.chunks, b"")
            except httpx.TransportError as thrown:
                raise Unanswered(str(thrown) or type(thrown).__name__) from thrown
        case Close(answer):
            await answer.response.aclose()
        case Sleep(seconds):
            await asyncio.sleep(seconds)
        case Invoke(function, arguments):
            value = function(*arguments)
            return await value if inspect.isawaitable(value) else value
        case Load(function):
            return await asyncio.to_thread(function)
        case Together(flows, _):
            await _do_together_async(flows, http)
    return None


async def _do_together_async(flows: Sequence[Flow[None]], http: httpx.AsyncClient) -> None:
    tasks = [asyncio.create_task(run_flow_async(flow, http)) for flow in flows]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled() and (thrown := task.exception()) is not None:
            raise thrown
