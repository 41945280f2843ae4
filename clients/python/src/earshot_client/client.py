"""The client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import httpx

from ._calls import Calls, file_lists, id_of, make_requests
from ._chains import ChainFlows, chain_list
from ._downloads import Download, open_download
from ._flow import Flow, run_flow
from ._jobs import JobFlows
from ._requests import Key
from ._sources import FileInput, UploadSource
from ._tool_calls import ToolCalls
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


class Earshot(ToolCalls):
    """A client of the REST API.

    All calls raise ApiError when they are refused and UnreachableError without an answer. A broken connection and a
    busy service are tried again. One client serves several threads.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: Key = None,
        *,
        headers: Mapping[str, str] | None = None,
        attempts: int | None = None,
        longest_wait_seconds: float = 60,
        http_client: httpx.Client | None = None,
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
        self._http = http_client or httpx.Client()

    @property
    def _jobs(self) -> JobFlows:
        return self._calls.jobs

    def _do(self, flow: Flow[Result]) -> Result:
        return run_flow(flow, self._http)

    def close(self) -> None:
        """Closes the connections."""
        if self._own_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _pages(self, kind: type[Result], to: str, query: Mapping[str, str | None]) -> Iterator[Result]:
        cursor: str | None = None
        while True:
            page = self._do(self._calls.page(kind, to, query, cursor))
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    # Files

    def upload(
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
        return self._do(
            self._calls.uploads.upload(
                source,
                filename=filename,
                content_type=content_type,
                parts_at_once=parts_at_once,
                idempotency_key=idempotency_key,
                on_progress=on_progress,
            )
        )

    def import_link(self, url: str, *, filename: str | None = None) -> FileRecord:
        """Makes the service fetch a public https link, and waits until the file is checked."""
        return self._do(self._calls.import_link(url, filename))

    def create_upload_page(self) -> CreatedFile:
        """A file that a person uploads on its upload_page_url; wait_for_file() waits for it."""
        return self._do(self._calls.create_upload_page())

    def file(self, file: str | FileRecord) -> FileRecord:
        """The current record."""
        return self._do(self._calls.file(file))

    def wait_for_file(self, file: str | FileRecord) -> FileRecord:
        """Waits until the file has arrived and is checked, without a time limit."""
        return self._do(self._calls.uploads.until_ready(f"{file_lists}/{id_of(file)}"))

    def files(self, *, kind: Literal["original", "output"] | None = None) -> Iterator[FileRecord]:
        """Files, newest first, fetched page by page."""
        return self._pages(FileRecord, file_lists, {"kind": kind})

    def delete_file(self, file: str | FileRecord) -> None:
        """Deletes the bytes now rather than at expires_at."""
        self._do(self._calls.delete_file(file))

    def download_link(self, file: str | FileRecord) -> DownloadLink:
        """A link that is valid for 15 minutes, for a person or a player."""
        return self._do(self._calls.download_link(file))

    def download(self, file: str | FileRecord) -> Download:
        """The bytes of a file, which go on after a break."""
        return Download(self._do(open_download(self._calls.requests, id_of(file))), self._http)

    def sound(self, file: str | FileRecord) -> Sound:
        """The samples of a file as float32, in memory."""
        with self.download(file) as download:
            return download.sound()

    def transcript(
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
        return self._do(self._calls.transcript(file, from_seconds, to_seconds, detail))

    def peaks(
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
        return self._do(self._calls.peaks(file, level, first, count))

    # Jobs

    def quote(self, tool: ToolId, *files: str | FileRecord) -> Quote:
        """The price of a job on these files, in the job's order of files."""
        return self._do(self._calls.quote(tool, files))

    def job(self, job_id: str) -> Job:
        """The current record. A job that the service has lost is ordered again if this client has started it."""
        return self._do(self._jobs.look(job_id))

    def jobs(self, *, tool: ToolId | None = None) -> Iterator[Job]:
        """Jobs, newest first, fetched page by page."""
        return self._pages(Job, "/api/v1/jobs", {"tool": tool})

    def wait(
        self, job_id: str, *, on_progress: Callable[[Job], object] | None = None, timeout: float | None = None
    ) -> Job:
        """Waits until the job has succeeded. Ending the wait does not affect the job.

        Raises JobError when it has failed or was cancelled, TimeoutError after timeout seconds.
        """
        return self._do(self._jobs.wait(job_id, on_progress=on_progress, timeout=timeout))

    def cancel(self, job_id: str) -> Job:
        """Cancels a job that has not finished."""
        return self._do(self._jobs.cancel(job_id))

    # Chains

    def recipes(self) -> list[Recipe]:
        """The chains that come with the service."""
        return self._do(self._calls.recipes())

    def quote_chain(
        self,
        *files: FileInput,
        recipe: str | None = None,
        chain: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        format: str | None = None,
    ) -> ChainQuote:
        """What a chain costs at most, by step; starts nothing."""
        what: dict[str, Any] = {"recipe": recipe, "chain": chain, "options": options, "format": format}
        return self._do(self._chains.quote(files, what))

    def start_chain(
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
        return self._do(self._chains.start(files, what, idempotency_key))

    def run_chain(
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
        return self._do(self._chains.run(files, what, idempotency_key, on_progress, timeout))

    def chain(self, chain_id: str) -> Chain:
        """The current record."""
        return self._do(self._chains.look(chain_id))

    def chains(self) -> Iterator[Chain]:
        """Chains, newest first, fetched page by page."""
        return self._pages(Chain, chain_list, {})

    def wait_for_chain(
        self, chain_id: str, *, on_progress: Callable[[Chain], object] | None = None, timeout: float | None = None
    ) -> Chain:
        """Waits until the chain has succeeded. Ending the wait does not affect the chain."""
        return self._do(self._chains.wait(chain_id, on_progress, timeout))

    def cancel_chain(self, chain_id: str) -> Chain:
        """Cancels a chain that has not finished."""
        return self._do(self._chains.cancel(chain_id))

    # Account

    def tools(self) -> list[ToolDescriptor]:
        """Every tool with its price, its free uses and its input as JSON Schema."""
        return self._do(self._calls.tools())

    def account(self) -> Account:
        """Balance, free uses left today, prices and limits."""
        return self._do(self._calls.account())

    def auto_refill(self) -> AutoRefill:
        """The settings of the automatic refill."""
        return self._do(self._calls.auto_refill())

    def ledger(self) -> Iterator[LedgerEntry]:
        """Changes of the balance, newest first, fetched page by page."""
        return self._pages(LedgerEntry, "/api/v1/ledger", {})
