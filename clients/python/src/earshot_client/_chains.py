"""Several tools as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ._flow import Flow
from ._jobs import ENDS_A_RUN, JobFlows, until_ended
from ._requests import Call, Requests
from ._sources import FileInput
from ._uploads import new_key
from .errors import ChainError, EarshotError
from .records import Chain, ChainQuote

chain_list = "/api/v1/chains"


@dataclass(slots=True)
class ChainFlows:
    """Chains of one client."""

    requests: Requests
    jobs: JobFlows

    def _body(self, files: Sequence[FileInput], options: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        ids: list[str] = []
        for file in files:
            ids.append((yield from self.jobs.id_of(file)))
        return {"file_ids": ids, **{name: value for name, value in options.items() if value is not None}}

    def quote(self, files: Sequence[FileInput], options: Mapping[str, Any]) -> Flow[ChainQuote]:
        body = yield from self._body(files, options)
        return (yield from self.requests.record(ChainQuote, Call(method="POST", to=f"{chain_list}/quote", json=body)))

    def start(self, files: Sequence[FileInput], options: Mapping[str, Any], key: str | None) -> Flow[Chain]:
        body = yield from self._body(files, options)
        headers = {"idempotency-key": key or new_key()}
        return (yield from self.requests.record(Chain, Call(method="POST", to=chain_list, json=body, headers=headers)))

    def look(self, chain_id: str) -> Flow[Chain]:
        return self.requests.record(Chain, Call(to=f"{chain_list}/{quote(chain_id, safe='')}"))

    def wait(
        self,
        chain_id: str,
        on_progress: Callable[[Chain], object] | None,
        timeout: float | None,
        seen: Chain | None = None,
    ) -> Flow[Chain]:
        chain = yield from until_ended(lambda: self.look(chain_id), seen, on_progress, timeout)
        if chain.status != "succeeded":
            raise ChainError(chain)
        return chain

    def run(
        self,
        files: Sequence[FileInput],
        options: Mapping[str, Any],
        key: str | None,
        on_progress: Callable[[Chain], object] | None,
        timeout: float | None,
    ) -> Flow[Chain]:
        chain = yield from self.start(files, options, key)
        try:
            return (yield from self.wait(chain.id, on_progress, timeout, chain))
        except ENDS_A_RUN:
            with suppress(EarshotError):
                yield from self.cancel(chain.id, attempts=1)
            raise

    def cancel(self, chain_id: str, *, attempts: int | None = None) -> Flow[Chain]:
        to = f"{chain_list}/{quote(chain_id, safe='')}/cancel"
        return self.requests.record(Chain, Call(method="POST", to=to, repeatable=False, attempts=attempts))
