"""The client for event loops."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import httpx

from ._calls import Calls, file_lists, id_of, make_requests
from ._chains import ChainFlows, chain_list
from ._downloads import AsyncDownload, open_download
from ._flow import Flow, run_flow_async
from ._jobs import JobFlows
from ._requests import Key
from ._sources import FileInput, UploadSource
from ._tool_calls import AsyncToolCalls
from ._uploads import UploadProgress
from .records import (
    Account,
    AutoRefill,
    Chain,
    ChainQuote,
    CreatedFile,
    DownloadLink,
    FileRecord,
    Job,
    LedgerEntry,
    Peaks,
    Quote,
    Recipe,
    ToolDescriptor,
    ToolId,
    Transcript,
)
from .sound import Sound

Result = TypeVar("Result")


class AsyncEarshot(AsyncToolCalls):
    """A client of the REST API for event loops.

    All calls raise ApiError when they are refused and UnreachableError without an answer. A broken connection and a
    busy service are tried again. One client serves one event loop.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: Key = None,
        *,
        headers: Mapping[str, str] | None = None,
        attempts: int | None = None,
        longest_wait_seconds: float = 60,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Default of base_url and api_key: the environment's EARSHOT_URL and EARSHOT_KEY.

        base_url: of the service, "https://audio.example.org"; for an embedded one with its prefix.
        api_key: API key (svc_sk_...) or OAuth access token, or a function that returns one for each request.
        headers: of every request, such as User-Agent.
        attempts: at a request after failures of connection or service, 1 to 20. Default: 5, for uploads 10.
        longest_wait_seconds: if the service asks to retry later than this, the request fails at once.
        http_client: with proxies, certificates or transports of your own; closing it is then up to you.
        Raises ValueError for a missing or wrong address.
        """
        self._calls = Calls.of(make_requests(base_url, api_key, headers, attempts, longest_wait_seconds))
        self._chains = ChainFlows(self._calls.requests, self._calls.jobs)
        self._own_http = http_client is None
        self._http = http_client or httpx.AsyncClient()

    @property
    def _jobs(self) -> JobFlows:
        return self._calls.jobs

    async def _do(self, flow: Flow[Result]) -> Result:
        return await run_flow_async(flow, self._http)

    async def close(self) -> None:
        """Closes the connections."""
        if self._own_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def _pages(self, kind: type[Result], to: str, query: Mapping[str, str | None]) -> AsyncIterator[Result]:
        cursor: str | None = None
        while True:
            page = await self._do(self._calls.page(kind, to, query, cursor))
            for item in page.items:
                yield item
            cursor = page.next_cursor
            if cursor is None:
                return

    # Files

    async def upload(
        self,
        source: UploadSource,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        parts_at_once: int = 3,
        idempotency_key: str | None = None,
        on_progress: Callable[[UploadProgress], object] | None = None,
    ) -> FileRecord:
        """Sends a file and waits until it is checked: above 16 MB in parts, several at a time, each with retries.

        source: a path, bytes, a file opened for reading bytes, or a Sound. filename: with extension, needed for bytes.
        parts_at_once: 1 to 4. idempotency_key: 8 to 200 characters; the same key with the same file goes on where an
        earlier upload broke off, also from another process; a path that broke off in this client goes on by itself.
        Raises ApiError with the file's own code when it cannot be used, OSError when it cannot be read.
        """
        return await self._do(
            self._calls.uploads.upload(
                source,
                filename=filename,
                content_type=content_type,
                parts_at_once=parts_at_once,
                idempotency_key=idempotency_key,
                on_progress=on_progress,
            )
        )

    async def import_link(self, url: str, *, filename: str | None = None) -> FileRecord:
        """Makes the service fetch a public https link, and waits until the file is checked."""
        return await self._do(self._calls.import_link(url, filename))

    async def create_upload_page(self) -> CreatedFile:
        """A file that a person uploads on its upload_page_url; wait_for_file() waits for it."""
        return await self._do(self._calls.create_upload_page())

    async def file(self, file: str | FileRecord) -> FileRecord:
        """The current record."""
        return await self._do(self._calls.file(file))

    async def wait_for_file(self, file: str | FileRecord) -> FileRecord:
        """Waits until the file has arrived and is checked, without a time limit."""
        return await self._do(self._calls.uploads.until_ready(f"{file_lists}/{id_of(file)}"))

    def files(self, *, kind: Literal["original", "output"] | None = None) -> AsyncIterator[FileRecord]:
        """Files, newest first, fetched page by page."""
        return self._pages(FileRecord, file_lists, {"kind": kind})

    async def delete_file(self, file: str | FileRecord) -> None:
        """Deletes the bytes now rather than at expires_at."""
        await self._do(self._calls.delete_file(file))

    async def download_link(self, file: str | FileRecord) -> DownloadLink:
        """A link that is valid for 15 minutes, for a person or a player."""
        return await self._do(self._calls.download_link(file))

    async def download(self, file: str | FileRecord) -> AsyncDownload:
        """The bytes of a file, which go on after a break."""
        return AsyncDownload(await self._do(open_download(self._calls.requests, id_of(file))), self._http)

    async def sound(self, file: str | FileRecord) -> Sound:
        """The samples of a file as float32, in memory."""
        async with await self.download(file) as download:
            return await download.sound()

    async def transcript(
        self,
        file: str | FileRecord,
        *,
        from_seconds: float | None = None,
        to_seconds: float | None = None,
        detail: Literal["concise", "full"] | None = None,
    ) -> Transcript:
        """Sentences of a transcript between two times, with words where detail is full.

        Default: the first 300 s, concise; next_from_seconds is the next start.
        """
        return await self._do(self._calls.transcript(file, from_seconds, to_seconds, detail))

    async def peaks(
        self,
        file: str | FileRecord,
        *,
        level: Literal[5, 50, 500] | None = None,
        first: int | None = None,
        count: int | None = None,
    ) -> Peaks:
        """The waveform, once it is made.

        level: bins per second, by default none, which returns the description only. first: index of a bin.
        count: 1 to 16384 bins, by default 4096.
        """
        return await self._do(self._calls.peaks(file, level, first, count))

    # Jobs

    async def quote(self, tool: ToolId, *files: str | FileRecord) -> Quote:
        """The price of a job on these files, in the job's order of files."""
        return await self._do(self._calls.quote(tool, files))

    async def job(self, job_id: str) -> Job:
        """The current record. A job that the service has lost is ordered again if this client has started it."""
        return await self._do(self._jobs.look(job_id))

    def jobs(self, *, tool: ToolId | None = None) -> AsyncIterator[Job]:
        """Jobs, newest first, fetched page by page."""
        return self._pages(Job, "/api/v1/jobs", {"tool": tool})

    async def wait(
        self, job_id: str, *, on_progress: Callable[[Job], object] | None = None, timeout: float | None = None
    ) -> Job:
        """Waits until the job has succeeded. Ending the wait does not affect the job.

        Raises JobError when it has failed or was cancelled, TimeoutError after timeout seconds.
        """
        return await self._do(self._jobs.wait(job_id, on_progress=on_progress, timeout=timeout))

    async def cancel(self, job_id: str) -> Job:
        """Cancels a job that has not finished."""
        return await self._do(self._jobs.cancel(job_id))

    # Chains

    async def recipes(self) -> list[Recipe]:
        """The chains that come with the service."""
        return await self._do(self._calls.recipes())

    async def quote_chain(
        self,
        *files: FileInput,
        recipe: str | None = None,
        chain: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        format: str | None = None,
    ) -> ChainQuote:
        """What a chain costs at most, by step; starts nothing."""
        what: dict[str, Any] = {"recipe": recipe, "chain": chain, "options": options, "format": format}
        return await self._do(self._chains.quote(files, what))

    async def start_chain(
        self,
        *files: FileInput,
        recipe: str | None = None,
        chain: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        format: str | None = None,
        settle: Literal["whole", "steps"] | None = None,
        max_credits: int | None = None,
        idempotency_key: str | None = None,
    ) -> Chain:
        """Starts a chain and returns at once; arguments as run_chain()."""
        what: dict[str, Any] = {"recipe": recipe, "chain": chain, "options": options, "format": format}
        what |= {"settle": settle, "max_credits": max_credits}
        return await self._do(self._chains.start(files, what, idempotency_key))

    async def run_chain(
        self,
        *files: FileInput,
        recipe: str | None = None,
        chain: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        format: str | None = None,
        settle: Literal["whole", "steps"] | None = None,
        max_credits: int | None = None,
        idempotency_key: str | None = None,
        on_progress: Callable[[Chain], object] | None = None,
        timeout: float | None = None,
    ) -> Chain:
        """Starts several tools as one and waits until they have succeeded.

        recipe: "podcast" and others (recipes()), or a preset of the account; chain: one of your own, in its place.
        options: of the recipe. format: of the resulting sound. Files and ends as in run().
        Raises ChainError when it has failed or was cancelled.
        """
        what: dict[str, Any] = {"recipe": recipe, "chain": chain, "options": options, "format": format}
        what |= {"settle": settle, "max_credits": max_credits}
        return await self._do(self._chains.run(files, what, idempotency_key, on_progress, timeout))

    async def chain(self, chain_id: str) -> Chain:
        """The current record."""
        return await self._do(self._chains.look(chain_id))

    def chains(self) -> AsyncIterator[Chain]:
        """Chains, newest first, fetched page by page."""
        return self._pages(Chain, chain_list, {})

    async def wait_for_chain(
        self, chain_id: str, *, on_progress: Callable[[Chain], object] | None = None, timeout: float | None = None
    ) -> Chain:
        """Waits until the chain has succeeded. Ending the wait does not affect the chain."""
        return await self._do(self._chains.wait(chain_id, on_progress, timeout))

    async def cancel_chain(self, chain_id: str) -> Chain:
        """Cancels a chain that has not finished."""
        return await self._do(self._chains.cancel(chain_id))

    # Account

    async def tools(self) -> list[ToolDescriptor]:
        """Every tool with its price, its free uses and its input as JSON Schema."""
        return await self._do(self._calls.tools())

    async def account(self) -> Account:
        """Balance, free uses left today, prices and limits."""
        return await self._do(self._calls.account())

    async def auto_refill(self) -> AutoRefill:
        """The settings of the automatic refill."""
        return await self._do(self._calls.auto_refill())

    def ledger(self) -> AsyncIterator[LedgerEntry]:
        """Changes of the balance, newest first, fetched page by page."""
        return self._pages(LedgerEntry, "/api/v1/ledger", {})
