"""Samples in memory, as NumPy arrays. Needs the extra: pip install "earshot-client[sound]"."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_largest_wav_bytes = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """Samples and their rate."""

    samples: NDArray[np.float32] | NDArray[np.float64] | NDArray[np.int16]
    """Shape (frames,) or (frames, channels). Floats from -1 to 1, or whole numbers of 16 bits."""
    sample_rate: int
    """Hz."""

    def to_wav(self) -> bytes:
        """A WAV file: 32-bit float, or 16 bits for int16 samples.

        Raises ValueError for what is no sound.
        """
        np, soundfile = _modules()
        samples = np.asarray(self.samples)
        if samples.ndim not in (1, 2) or samples.dtype not in (np.float32, np.float64, np.int16):
            raise ValueError(
                "Expected samples of shape (frames,) or (frames, channels), of float32, float64 or int16, "
                f"but received {samples.shape} of {samples.dtype}"
            )
        if samples.ndim == 2 and samples.shape[1] > 64:
            raise ValueError(
                f"Expected samples of shape (frames, channels) but received {samples.shape}; "
                "transpose an array of shape (channels, frames)"
            )
        if samples.dtype != np.int16 and not np.isfinite(samples).all():
            raise ValueError("Expected finite samples but some are NaN or infinite")
        if samples.size * 4 > _largest_wav_bytes - 1000:
            raise ValueError("Expected samples that fit into a WAV of 4 GB; write a FLAC or RF64 and upload its path")
        file = io.BytesIO()
        subtype = "PCM_16" if samples.dtype == np.int16 else "FLOAT"
        soundfile.write(file, samples, self.sample_rate, format="WAV", subtype=subtype)
        return file.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Sound:
        """Reads what libsndfile reads (WAV, FLAC, MP3, Ogg), as float32 of shape (frames,) or (frames, channels).

        Raises ValueError for what it cannot read.
        """
        _, soundfile = _modules()
        try:
            samples, rate = soundfile.read(io.BytesIO(data), dtype="float32")
        except soundfile.LibsndfileError as thrown:
            raise ValueError(
                f"Expected sound that libsndfile reads; ask for output_format wav or flac: {thrown}"
            ) from None
        return Sound(samples, int(rate))


def _modules() -> tuple[Any, Any]:
    try:
        import numpy
        import soundfile
    except ImportError as thrown:
        raise ImportError('Samples need NumPy and soundfile: pip install "earshot-client[sound]"') from thrown
    return numpy, soundfile
