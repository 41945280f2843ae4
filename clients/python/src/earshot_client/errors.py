"""What can go wrong in a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .records import Chain, Job


class EarshotError(Exception):
    """Any error of this client."""


class UnreachableError(EarshotError):
    """No connection, or a broken one, after all attempts. The cause is the HTTP library's error."""

    retryable = True


class ApiError(EarshotError):
    """An error answer of the service. The code is stable, the message is for people."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        next_action: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after_seconds: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """From the service's catalogue (ErrorCode), or unexpected_answer for others, such as a proxy's."""
        self.message = message
        self.status = status
        """HTTP status of the answer; None if the error comes from the record of a file or a job."""
        self.retryable = retryable
        """May the same call succeed on retry?"""
        self.next_action = next_action
        """What to do, in one sentence; None: unknown."""
        self.details = details
        """Facts for programs, by name; None: none."""
        self.retry_after_seconds = retry_after_seconds
        """Seconds after which the service asks to retry; None: it does not."""
        self.request_id = request_id
        """For the operator to find in the log; None: there was no answer."""

    def __str__(self) -> str:
        hint = "" if self.next_action is None else f" {self.next_action}"
        return f"{self.message} ({self.code}){hint}"


class JobError(ApiError):
    """A job that failed or was cancelled."""

    def __init__(self, job: Job) -> None:
        error = job.error
        super().__init__(
            "conflict" if error is None else error.code,
            f"Expected the job {job.id} to succeed but it was {job.status}" if error is None else error.message,
        )
        self.job = job
        """Its final record."""


class ChainError(ApiError):
    """A chain that failed or was cancelled."""

    def __init__(self, chain: Chain) -> None:
        error = chain.error
        super().__init__(
            "conflict" if error is None else error.code,
            f"Expected the chain {chain.id} to succeed but it was {chain.status}" if error is None else error.message,
        )
        self.chain = chain
        """Its final record."""
