"""What can be uploaded: files on disk, bytes, open files, samples."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from .records import FileRecord
from .sound import Sound

UploadSource = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | Sound
"""A path, bytes, a file opened for reading bytes, or samples."""

FileInput = str | os.PathLike[str] | FileRecord | Sound
"""A path, a file of the account (its record or its id), or samples."""


class Source(Protocol):
    """Bytes that can be read from any place, by several threads."""

    name: str | None
    size_bytes: int

    @property
    def identity(self) -> object:
        """Equal for the same bytes later; None: nothing is known."""

    def read(self, offset: int, length: int) -> bytes:
        """Exactly so many bytes. Raises OSError or ValueError."""

    def close(self) -> None: ...


@dataclass(slots=True)
class _Disk:
    path: Path
    name: str | None
    size_bytes: int
    identity: object = None

    def read(self, offset: int, length: int) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(offset)
            found = file.read(length)
        if len(found) != length or self.path.stat().st_size != self.size_bytes:
            raise ValueError(f"Expected {self.path} to stay as it is while it is uploaded, but it has changed")
        return found

    def close(self) -> None:
        pass


@dataclass(slots=True)
class _Memory:
    data: memoryview
    name: str | None
    size_bytes: int
    identity: object = None

    def read(self, offset: int, length: int) -> bytes:
        return bytes(self.data[offset : offset + length])

    def close(self) -> None:
        pass


class _Opened:
    """An open file, from where it is. One that cannot be moved in is copied to a temporary file first."""

    def __init__(self, file: BinaryIO) -> None:
        name = getattr(file, "name", None)
        self.name = os.path.basename(name) if isinstance(name, str) and name and not name.startswith("<") else None
        self._lock = threading.Lock()
        self._copy: BinaryIO | None = None
        if file.seekable():
            self._file, self._start = file, file.tell()
        else:
            self._copy = tempfile.TemporaryFile()  # noqa: SIM115
            shutil.copyfileobj(file, self._copy)
            self._file, self._start = self._copy, 0
        self.size_bytes = self._file.seek(0, os.SEEK_END) - self._start
        self._file.seek(self._start)
        self.identity: object = None

    def read(self, offset: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(self._start + offset)
            found = self._file.read(length)
        if len(found) != length:
            raise ValueError(f"Expected {length} bytes at {offset} of the open file but received {len(found)}")
        return found

    def close(self) -> None:
        if self._copy is not None:
            self._copy.close()


def open_source(source: UploadSource) -> Source:
    """Raises OSError for a path that is not there, TypeError for what is no bytes."""
    if isinstance(source, Sound):
        data = source.to_wav()
        return _Memory(memoryview(data), "sound.wav", len(data))
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        found = path.stat()
        if not path.is_file():
            raise IsADirectoryError(f"Expected a file to upload but {path} is none")
        return _Disk(path, path.name, found.st_size, (os.path.realpath(path), found.st_size, found.st_mtime_ns))
    if isinstance(source, bytes | bytearray | memoryview):
        view = memoryview(source).cast("B")
        return _Memory(view, None, view.nbytes)
    if hasattr(source, "read") and hasattr(source, "seekable"):
        return _Opened(source)
    raise TypeError(f"Expected a path, bytes, an open file or a Sound but received {type(source).__name__}")
