"""Earshot's client: processes audio and video on an Earshot service."""

from ._downloads import AsyncDownload, Download
from ._sources import FileInput, UploadSource
from ._uploads import UploadProgress
from .async_client import AsyncEarshot
from .client import Earshot
from .errors import ApiError, ChainError, EarshotError, JobError, UnreachableError
from .records import Chain, FileRecord, Job
from .sound import Sound

__all__ = [
    "ApiError",
    "AsyncDownload",
    "AsyncEarshot",
    "Chain",
    "ChainError",
    "Download",
    "Earshot",
    "EarshotError",
    "FileInput",
    "FileRecord",
    "Job",
    "JobError",
    "Sound",
    "UnreachableError",
    "UploadProgress",
    "UploadSource",
]
