# Made by scripts/write-python-types.ts from openapi.json: edit the schemas, then `npm run client:types`.
"""run() and start() with the inputs of each tool."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, TypeVar, Unpack, overload

from ._flow import Flow
from ._jobs import JobFlows
from ._sources import FileInput
from .inputs import (
    AdjustLoudnessInputs,
    AlignRecordingsInputs,
    AlignScriptInputs,
    AnalyzeAudioInputs,
    BurnCaptionsInputs,
    ChangeSpeedInputs,
    CheckAudioInputs,
    ConvertAudioInputs,
    CutAudioInputs,
    EnhanceVoiceInputs,
    JoinAudioInputs,
    LabelAudioInputs,
    LevelSpeakersInputs,
    MixTracksInputs,
    RedactAudioInputs,
    RemoveFillersInputs,
    RemoveNoiseInputs,
    RemoveSilenceInputs,
    ReplaceAudioInputs,
    TranscribeAudioInputs,
)
from .records import Job, ToolId

Result = TypeVar("Result")


class ToolCalls(ABC):
    """Starts tools, each with its own inputs."""

    @abstractmethod
    def _do(self, flow: Flow[Result]) -> Result: ...

    @property
    @abstractmethod
    def _jobs(self) -> JobFlows: ...

    @overload
    def run(
        self,
        tool: Literal["analyze_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AnalyzeAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["adjust_loudness"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AdjustLoudnessInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["convert_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[ConvertAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["cut_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[CutAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["remove_silence"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RemoveSilenceInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["join_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[JoinAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["replace_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[ReplaceAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["level_speakers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[LevelSpeakersInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["mix_tracks"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[MixTracksInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["remove_noise"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RemoveNoiseInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["enhance_voice"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[EnhanceVoiceInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["transcribe_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[TranscribeAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["align_script"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AlignScriptInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["remove_fillers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RemoveFillersInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["check_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[CheckAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["align_recordings"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AlignRecordingsInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["burn_captions"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[BurnCaptionsInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["redact_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RedactAudioInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["change_speed"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[ChangeSpeedInputs],
    ) -> Job: ...

    @overload
    def run(
        self,
        tool: Literal["label_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[LabelAudioInputs],
    ) -> Job: ...

    def run(
        self,
        tool: ToolId,
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Any,
    ) -> Job:
        """Starts a tool and waits until it has succeeded. Files that are not of the account yet are uploaded first.

        Files are paths, files of the account (record or id) or Sounds, in the order of the tool's inputs.
        on_progress is called on every change. A wait longer than timeout seconds, Ctrl+C or a cancelled task cancels
        the job. Raises JobError when the job failed, ApiError when it was refused, UnreachableError without an answer,
        TimeoutError after the timeout.
        """
        flow = self._jobs.run(
            tool, files, inputs, idempotency_key=idempotency_key, on_progress=on_progress, timeout=timeout
        )
        return self._do(flow)

    @overload
    def start(
        self,
        tool: Literal["analyze_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AnalyzeAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["adjust_loudness"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AdjustLoudnessInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["convert_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[ConvertAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["cut_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[CutAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["remove_silence"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RemoveSilenceInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["join_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[JoinAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["replace_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[ReplaceAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["level_speakers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[LevelSpeakersInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["mix_tracks"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[MixTracksInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["remove_noise"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RemoveNoiseInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["enhance_voice"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[EnhanceVoiceInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["transcribe_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[TranscribeAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["align_script"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AlignScriptInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["remove_fillers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RemoveFillersInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["check_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[CheckAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["align_recordings"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AlignRecordingsInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["burn_captions"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[BurnCaptionsInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["redact_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RedactAudioInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["change_speed"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[ChangeSpeedInputs],
    ) -> Job: ...

    @overload
    def start(
        self,
        tool: Literal["label_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[LabelAudioInputs],
    ) -> Job: ...

    def start(
        self,
        tool: ToolId,
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Any,
    ) -> Job:
        """Starts a tool and returns at once, with files as in run()."""
        return self._do(self._jobs.start(tool, files, inputs, idempotency_key=idempotency_key))


class AsyncToolCalls(ABC):
    """Starts tools, each with its own inputs."""

    @abstractmethod
    async def _do(self, flow: Flow[Result]) -> Result: ...

    @property
    @abstractmethod
    def _jobs(self) -> JobFlows: ...

    @overload
    async def run(
        self,
        tool: Literal["analyze_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AnalyzeAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["adjust_loudness"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AdjustLoudnessInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["convert_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[ConvertAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["cut_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[CutAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["remove_silence"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RemoveSilenceInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["join_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[JoinAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["replace_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[ReplaceAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["level_speakers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[LevelSpeakersInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["mix_tracks"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[MixTracksInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["remove_noise"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RemoveNoiseInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["enhance_voice"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[EnhanceVoiceInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["transcribe_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[TranscribeAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["align_script"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AlignScriptInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["remove_fillers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RemoveFillersInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["check_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[CheckAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["align_recordings"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[AlignRecordingsInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["burn_captions"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[BurnCaptionsInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["redact_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[RedactAudioInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["change_speed"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[ChangeSpeedInputs],
    ) -> Job: ...

    @overload
    async def run(
        self,
        tool: Literal["label_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Unpack[LabelAudioInputs],
    ) -> Job: ...

    async def run(
        self,
        tool: ToolId,
        *files: FileInput,
        idempotency_key: str | None = None,
        on_progress: Callable[[Job], object] | None = None,
        timeout: float | None = None,
        **inputs: Any,
    ) -> Job:
        """Starts a tool and waits until it has succeeded. Files that are not of the account yet are uploaded first.

        Files are paths, files of the account (record or id) or Sounds, in the order of the tool's inputs.
        on_progress is called on every change. A wait longer than timeout seconds, Ctrl+C or a cancelled task cancels
        the job. Raises JobError when the job failed, ApiError when it was refused, UnreachableError without an answer,
        TimeoutError after the timeout.
        """
        flow = self._jobs.run(
            tool, files, inputs, idempotency_key=idempotency_key, on_progress=on_progress, timeout=timeout
        )
        return await self._do(flow)

    @overload
    async def start(
        self,
        tool: Literal["analyze_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AnalyzeAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["adjust_loudness"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AdjustLoudnessInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["convert_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[ConvertAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["cut_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[CutAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["remove_silence"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RemoveSilenceInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["join_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[JoinAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["replace_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[ReplaceAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["level_speakers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[LevelSpeakersInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["mix_tracks"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[MixTracksInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["remove_noise"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RemoveNoiseInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["enhance_voice"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[EnhanceVoiceInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["transcribe_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[TranscribeAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["align_script"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AlignScriptInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["remove_fillers"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RemoveFillersInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["check_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[CheckAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["align_recordings"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[AlignRecordingsInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["burn_captions"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[BurnCaptionsInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["redact_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[RedactAudioInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["change_speed"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[ChangeSpeedInputs],
    ) -> Job: ...

    @overload
    async def start(
        self,
        tool: Literal["label_audio"],
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Unpack[LabelAudioInputs],
    ) -> Job: ...

    async def start(
        self,
        tool: ToolId,
        *files: FileInput,
        idempotency_key: str | None = None,
        **inputs: Any,
    ) -> Job:
        """Starts a tool and returns at once, with files as in run()."""
        return await self._do(self._jobs.start(tool, files, inputs, idempotency_key=idempotency_key))
