"""Samples in and out, against SciPy-free arithmetic and libsndfile."""

from __future__ import annotations

import io
import random
import struct
from typing import Any

import numpy as np
import pytest
import soundfile

from earshot_client import Sound


def test_float_samples_come_back_bit_for_bit() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    samples = np.random.default_rng(seed).uniform(-1, 1, (4801, 2)).astype(np.float32)
    data = Sound(samples, 48_000).to_wav()
    assert data[:4] == b"RIFF"
    back = Sound.from_bytes(data)
    assert back.sample_rate == 48_000
    assert np.array_equal(back.samples, samples)


def test_whole_numbers_stay_whole() -> None:
    samples = np.array([0, 1, -1, 32767, -32768], dtype=np.int16)
    data = Sound(samples, 8000).to_wav()
    assert struct.unpack("<5h", data[-10:]) == (0, 1, -1, 32767, -32768)


def test_what_is_no_sound_is_refused_with_what_was_expected() -> None:
    wrong: list[tuple[Any, str]] = [
        (np.zeros((2, 3, 4), np.float32), r"received \(2, 3, 4\) of float32"),
        (np.zeros(10, np.int64), "of int64"),
        (np.zeros((2, 1000), np.float32), "transpose"),
        (np.array([0, np.nan], np.float32), "NaN or infinite"),
    ]
    for samples, said in wrong:
        with pytest.raises(ValueError, match=said):
            Sound(samples, 48_000).to_wav()
    with pytest.raises(ValueError, match="Expected sound that libsndfile reads"):
        Sound.from_bytes(b"no sound")


def test_other_formats_are_read() -> None:
    tone = np.sin(np.arange(44_100) * 0.05).astype(np.float32) * 0.5
    for kind in ("FLAC", "OGG"):
        file = io.BytesIO()
        soundfile.write(file, tone, 44_100, format=kind)
        read = Sound.from_bytes(file.getvalue())
        assert read.samples.shape == tone.shape
        assert np.sqrt(np.mean((read.samples - tone) ** 2)) < 0.01
