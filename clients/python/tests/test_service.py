"""The client with a real service: results, samples, kills."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Service

from earshot_client import ApiError, AsyncEarshot, Earshot, JobError, Sound


def tone(seconds: float, rate: int = 48_000) -> Sound:
    at = np.arange(round(seconds * rate)) / rate
    return Sound((0.05 * np.sin(2 * np.pi * 440 * at)).astype(np.float32), rate)


def test_samples_go_in_and_samples_come_out(service: Service, client: Any, tmp_path: Path) -> None:
    ours = client(service.base, service.key)
    before = tone(3)
    stages: list[str] = []
    job = ours.run(
        "adjust_loudness",
        before,
        target="podcast",
        output_format="wav",
        on_progress=lambda at: stages.append(at.stage),
    )
    after = ours.sound(job.outputs[0])
    assert stages[-1] == "done"
    assert after.sample_rate == 48_000
    assert len(after.samples) == len(before.samples)
    # A sine of peak a measures a as 20 log10(a) - 3.01 - 0.691 + K(440 Hz) LUFS; what counts here is the gain alone.
    gain = np.abs(after.samples).max() / np.abs(before.samples).max()
    assert job.result is not None
    assert 20 * np.log10(gain) == pytest.approx(job.result["gainDb"], abs=0.01)
    saved = ours.done(ours.download(job.outputs[0]).save(tmp_path))
    assert saved.name == "sound.loudness.wav"
    assert saved.stat().st_size == job.outputs[0].size_bytes
    assert next(iter(ours.ledger())).job_id == job.id


def test_options_are_refused_by_name(service: Service, client: Any) -> None:
    ours = client(service.base, service.key)
    file = ours.upload(tone(1))
    with pytest.raises(ApiError, match="custom_lufs") as caught:
        ours.run("adjust_loudness", file, target="custom")
    assert caught.value.code == "bad_request"
    with pytest.raises(ApiError) as other:
        client(service.base, "svc_sk_wrong").account()
    assert (other.value.code, other.value.status) == ("unauthorized", 401)


def test_several_files_and_what_is_asked_about_them(service: Service, client: Any) -> None:
    ours = client(service.base, service.key)
    one, two = ours.upload(tone(1)), ours.upload(tone(2))
    assert ours.quote("join_audio", one, two).seconds == 3
    joined = ours.run("join_audio", one, two, output_format="wav").outputs[0]
    assert joined.duration_seconds == pytest.approx(3, abs=0.01)
    assert ours.peaks(joined, level=5, count=10).bins.count == 10
    assert {each.id for each in ours.files(kind="original")} >= {one.id, two.id}
    ours.delete_file(one)
    assert one.id not in {each.id for each in ours.files(kind="original")}
    assert "podcast" in {each.name for each in ours.recipes()}


def test_an_upload_in_parts_survives_the_death_of_the_service(service: Service, client: Any) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    noise = np.random.default_rng(seed).uniform(-0.1, 0.1, 4_000_000).astype(np.float32)
    killed = threading.Event()

    def kill(progress: Any) -> None:
        if progress.sent_bytes > 6_000_000 and not killed.is_set():
            killed.set()
            service.kill()
            threading.Thread(target=service.start).start()

    ours = client(service.base, service.key, attempts=20, longest_wait_seconds=30)
    file = ours.upload(Sound(noise, 48_000), on_progress=kill)
    assert killed.is_set()
    back = ours.sound(ours.run("convert_audio", file, format="flac").outputs[0])
    assert len(back.samples) == len(noise)


def test_a_job_survives_the_death_of_the_service(service: Service, client: Any) -> None:
    ours = client(service.base, service.key, attempts=20, longest_wait_seconds=30)
    killed = threading.Event()

    def kill(job: Any) -> None:
        if job.status == "running" and not killed.is_set():
            killed.set()
            service.kill()
            threading.Thread(target=service.start).start()

    credits_before = ours.account().balance
    job = ours.run("remove_noise", tone(8), output_format="wav", on_progress=kill)
    assert killed.is_set()
    assert job.status == "succeeded"
    assert credits_before - ours.account().balance == sum(
        -entry.credits for entry in ours.ledger() if entry.job_id == job.id
    )
    assert sum(entry.job_id == job.id for entry in ours.ledger()) == 1


def test_a_cancelled_task_cancels_its_job(service: Service) -> None:
    async def main() -> str:
        async with AsyncEarshot(service.base, service.key) as ours:
            file = await ours.upload(tone(60))
            started = asyncio.Event()
            ids: list[str] = []

            async def seen(job: Any) -> None:
                ids.append(job.id)
                started.set()

            run = asyncio.create_task(ours.run("remove_noise", file, on_progress=seen))
            await started.wait()
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            with pytest.raises(JobError) as caught:
                await ours.wait(ids[0])
            return caught.value.job.status

    assert asyncio.run(main()) == "cancelled"


def test_many_jobs_at_once_in_one_event_loop(service: Service) -> None:
    async def main() -> list[int]:
        async with AsyncEarshot(service.base, service.key) as ours:
            jobs = await asyncio.gather(*[ours.run("analyze_audio", tone(1 + at)) for at in range(6)])
            return [round(job.result["durationSeconds"]) for job in jobs if job.result is not None]

    assert asyncio.run(main()) == [1, 2, 3, 4, 5, 6]


def test_several_threads_use_one_client(service: Service) -> None:
    found: dict[int, float | None] = {}
    with Earshot(service.base, service.key) as ours:

        def upload(at: int) -> None:
            found[at] = ours.upload(tone(at)).duration_seconds

        threads = [threading.Thread(target=upload, args=(at,)) for at in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {at: round(seconds or 0) for at, seconds in found.items()} == {1: 1, 2: 2, 3: 3, 4: 4}


def test_wrong_inputs_are_found_by_mypy(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """from earshot_client import Earshot
client = Earshot("http://127.0.0.1:1")
job = client.run("adjust_loudness", "talk.wav", target="podcast")
reveal_type(job.outputs[0].duration_seconds)
client.run("adjust_loudness", "talk.wav", target="podcst")
client.run("adjust_loudnes", "talk.wav")
client.run("adjust_loudness", "talk.wav", noise_reduction=50)
client.run("cut_audio", "talk.wav")
"""
    )
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", program], capture_output=True, text=True).stdout
    wrong = [line for line in said.splitlines() if ": error:" in line]
    lines = {int(line.split(":")[1]) for line in wrong}
    assert 'Revealed type is "float | None"' in said or "Union[float, None]" in said
    assert lines == {5, 6, 7, 8}, said
