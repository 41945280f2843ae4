# Made by scripts/write-python-types.ts from openapi.json: edit the schemas, then `npm run client:types`.
"""Records of the REST API. Names are those of the API in Python's form: durationSeconds is duration_seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

ToolId = Literal[
    "remove_noise",
    "enhance_voice",
    "transcribe_audio",
    "align_script",
    "cut_audio",
    "remove_silence",
    "adjust_loudness",
    "convert_audio",
    "join_audio",
    "replace_audio",
    "analyze_audio",
    "remove_fillers",
    "level_speakers",
    "mix_tracks",
    "check_audio",
    "align_recordings",
    "burn_captions",
    "redact_audio",
    "change_speed",
    "label_audio",
]
"""Identifier of a tool."""

ErrorCode = Literal[
    "bad_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "conflict",
    "idempotency_key_reused",
    "insufficient_balance",
    "over_spending_cap",
    "free_limit_reached",
    "free_budget_exhausted",
    "free_disabled",
    "file_not_ready",
    "file_invalid",
    "file_expired",
    "file_too_large",
    "file_too_long",
    "unsupported_format",
    "wrong_file_type",
    "text_too_long",
    "no_audio",
    "ranges_outside",
    "fetch_failed",
    "limit_exceeded",
    "upload_limit_reached",
    "rate_limited",
    "job_not_cancellable",
    "tool_unavailable",
    "build_mismatch",
    "internal_error",
]
"""What went wrong, as the service says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A track of a media file."""

    type: Literal["audio", "video", "cover", "subtitle", "data", "attachment", "unknown"]
    codec: str
    """FFmpeg name of the codec; of data, the name in the container, such as gpmd."""
    language: str | None
    """ISO 639-2, such as deu; None where the file states none."""
    decodable: bool
    """Can it be worked on? Others are copied, or left out and named."""
    track: int | None
    """Of sound: its number from 1, as the option track takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMedia:
    """What is in a media file."""

    codec: str | None
    """Audio codec; None without sound."""
    sample_rate: int | None
    """Hz; None without sound."""
    channels: int | None
    """Audio channels; None without sound."""
    width: int | None
    """Pixels; None without video."""
    height: int | None
    """Pixels; None without video."""
    tracks: list[Track] | None = None
    """All tracks, in the order of the file; absent where they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRecord:
    """What went wrong with a file, a job or a chain."""

    code: ErrorCode
    message: str
    """What is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """A file of the account: an upload, or an output of a job."""

    id: str
    """Identifier of the file."""
    kind: Literal["original", "output"]
    """original (an upload) or output (a result)."""
    status: Literal["awaiting_upload", "processing", "ready", "invalid", "deleted"]
    """processing: being checked; ready: can be used; invalid: see error."""
    filename: str
    """Name with extension."""
    content_type: str
    """Media type, from the upload or from the check."""
    size_bytes: int | None
    """Bytes; None until they have arrived."""
    duration_seconds: float | None
    """Length; None until the file is checked, and for text files."""
    format: str | None
    """Container, such as wav or mp4; None until the file is checked."""
    has_video: bool
    """Does it have a video stream?"""
    has_audio: bool
    """False for a video without sound; only replace_audio accepts such a file."""
    media: FileMedia | None
    """Filled once the file is checked; None for text files."""
    error: ErrorRecord | None
    """What went wrong; None: nothing."""
    prices: dict[ToolId, int] | None
    """Credits by tool for this file; None until its length is known."""
    source_job_id: str | None
    """The job that made this output; None for uploads."""
    created_at: datetime
    """Time of creation, ISO 8601."""
    expires_at: datetime
    """When the file is deleted, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """Where to send a file in one PUT."""

    method: Literal["PUT"]
    url: str
    """Where to PUT the bytes."""
    headers: dict[str, str]
    """Headers that the PUT must carry."""
    expires_at: datetime
    """When the link expires, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipartUpload:
    """Where to send a file in parts."""

    part_size_bytes: int
    """Every part has this size except the last."""
    part_count: int
    """Number of parts."""
    part_url: str
    """PUT target; {n} is replaced by the part number counting from 1."""
    complete_url: str
    """POST here once all parts are in."""
    expires_at: datetime
    """When the link expires, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedFile:
    """A new file, and how its bytes get there."""

    file: FileRecord
    upload: Upload | None
    """Upload in one PUT; None above 16 MB, and until the file is named."""
    multipart: MultipartUpload | None
    """Multipart upload; None for smaller files, and until the file is named."""
    upload_page_url: str
    """A page where a person can upload the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadLink:
    """A link to the bytes of a file; it works without credentials."""

    file_id: str
    """Identifier of the file."""
    filename: str
    """Name of the download."""
    url: str
    """Link to the bytes."""
    expires_at: datetime
    """When the link expires, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteFree:
    """What would be free."""

    seconds: float
    """How much a free run processes."""
    uses_left_today: int
    """Free uses left today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a job would cost."""

    tool: ToolId
    """Identifier of the tool."""
    seconds: int
    """Billed length, rounded to the nearest second."""
    credits: int
    """Price to process all of it."""
    free: QuoteFree


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWarning:
    """A warning of a job."""

    code: str
    """Code of the warning, such as truncated."""
    message: str
    """The warning as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A tool that runs, or has run."""

    id: str
    """Identifier of the job."""
    tool: ToolId
    """Identifier of the tool."""
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    """succeeded, failed and cancelled are final."""
    progress: float
    """0 to 1."""
    stage: str
    """Current stage, a short word."""
    estimated_seconds_left: float | None
    """Estimate in seconds; None until there is one."""
    outputs: list[FileRecord]
    """Files that the job made."""
    processed_seconds: float | None
    """Seconds of the input that were processed; None until known."""
    result: dict[str, Any] | None
    """The tool's result, the same object as in the library and on the command line; None until the job succeeds,
    after the retention time, and in lists if it is longer than 32 KiB."""
    free: bool
    """Whether only the free part ran."""
    finished_by: str | None
    """Names the whole-file job of a free run, once paid; None: none."""
    error: ErrorRecord | None
    """What went wrong; None: nothing."""
    warnings: list[JobWarning]
    """Warnings of a successful job: its file was truncated, its target was not reached, ..."""
    created_at: datetime
    """Time of creation, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Balance, prices and limits."""

    balance: int
    """Credits, including those reserved by jobs."""
    balance_cents: int
    """The balance in US cents (1 credit = 1 US cent)."""
    available_cents: int
    """The balance without the credits reserved by jobs, in US cents."""
    free_uses_left: dict[ToolId, int]
    """Free uses left today."""
    prices: dict[ToolId, int]
    """Credits per minute."""
    limits: dict[str, float]
    """Limits of the account, by name with unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Something that changed the balance."""

    id: str
    """Identifier of the entry."""
    kind: Literal["grant", "purchase", "adjustment", "charge"]
    """Reason of the entry; only a charge has a job."""
    credits: int
    """Signed change of the balance."""
    balance: int
    """Balance in credits after it."""
    job_id: str | None
    """The job of a charge; None for other entries."""
    payment_id: str | None
    """The payment of a purchase, of its refunds and disputes; None for other entries."""
    dispute_id: str | None
    """The dispute of that payment by the provider's id, or by the payment's where that is unknown; None: none."""
    created_at: datetime
    """When it was posted, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A bank card, as far as it is kept."""

    brand: str
    """Such as visa."""
    last4: str
    """Last four digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoRefill:
    """How the balance refills itself; None where nothing is set."""

    enabled: bool
    """Is auto-refill switched on?"""
    threshold_cents: int | None
    """Refills below this balance, at least 0 US cents; None: not set."""
    amount_cents: int | None
    """Amount of one refill, at least 0 US cents; None: not set."""
    monthly_cap_cents: int | None
    """Most that is added in one month, at least 0 US cents; None: not set."""
    card: Card | None
    """The card to charge; None: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDescriptorFree:
    """The free allowance of a tool."""

    enabled: bool
    """Is there a free tier for this tool?"""
    seconds: float | None
    """Seconds of a file that a free run processes; None means the whole file."""
    daily_uses: int
    """Free uses per day per person; resets at midnight UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDescriptor:
    """A tool with its price, its free allowance and its input."""

    id: ToolId
    """Identifier of the tool."""
    title: str
    """Name of the tool, for display."""
    slug: str
    """The free API path segment: /api/try/<slug>."""
    description: str
    """What it does."""
    credits_per_minute: int
    """Price per minute; 1 credit = 1 US cent."""
    free: ToolDescriptorFree
    input: dict[str, Any]
    """The tool's input as JSON Schema, as POST /api/v1/jobs takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeaksLevel:
    """A level of the waveform."""

    per_second: int
    """Bins per second."""
    count: int
    """Bins in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakBins:
    """A window of the waveform."""

    level: int
    """Bins per second."""
    first: int
    """Index of the first bin, from 0."""
    count: int
    """Number of bins."""
    data: str
    """Base64 of count pairs of signed bytes, minimum then maximum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """The waveform of a file, for drawing."""

    file_id: str
    """Identifier of the file."""
    status: Literal["processing", "ready", "none"]
    """none: no sound to draw."""
    duration_seconds: float | None
    """Length of the decoded sound; None until ready."""
    peak: float | None
    """Loudest sample, 0 to 1; None until ready."""
    levels: list[PeaksLevel]
    """Levels that can be requested."""
    bins: PeakBins | None
    """The requested window; None without level, and until ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptSentenceWord:
    """A word with its times."""

    text: str
    """The word as it is written."""
    start_seconds: float
    """Start of the word."""
    end_seconds: float
    """End of the word."""
    speaker: int | None = None
    """From 1, in the order in which people first speak."""
    matched: bool | None = None
    """In an aligned script, False: the word was not found in the recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptSentence:
    """A sentence with its times."""

    start_seconds: float
    """Start of the sentence."""
    end_seconds: float
    """End of the sentence."""
    text: str
    """Words of the sentence."""
    speaker: int | None
    """From 1, in the order in which people first speak; None without speaker labels."""
    words: list[TranscriptSentenceWord] | None = None
    """For full detail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEvent:
    """What is heard besides words."""

    start_seconds: float
    """Start of the sound."""
    end_seconds: float
    """End of the sound."""
    sound: str
    """Such as music, applause or dog."""
    score: float
    """How sure, from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A window of a transcript."""

    file_id: str
    """Identifier of the file."""
    language: str
    """Language code, such as en."""
    from_seconds: float
    """Start of the window."""
    to_seconds: float
    """End of the window."""
    duration_seconds: float
    """Length of the whole transcript."""
    speaker_count: int | None
    """Speakers in the whole transcript; None without speaker labels."""
    detail: Literal["concise", "full"]
    """full: with words."""
    sentences: list[TranscriptSentence]
    events: list[TranscriptEvent] | None = None
    """What else is heard in the window, where the transcript was made with sound_events."""
    next_from_seconds: float | None
    """Where to continue reading; None at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStepWarning:
    """A warning of a step."""

    code: str
    """Code of the warning."""
    message: str
    """The warning as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStep:
    """A step of a chain."""

    name: str
    """As the chain calls it."""
    tool: ToolId
    """Identifier of the tool."""
    status: Literal["waiting", "queued", "running", "succeeded", "failed", "cancelled"]
    """waiting: for the steps before it."""
    progress: float
    """0 to 1, of all its runs."""
    results: list[dict[str, Any] | None]
    """What the tool measured, a result for each of its runs (a tool that takes one file runs once for each); None as
    in jobs."""
    processed_seconds: float | None
    """Seconds that all its runs processed; None until it has succeeded."""
    credits: int | None
    """Its price by what it processed; None until it has succeeded."""
    warnings: list[ChainStepWarning]
    error: ErrorRecord | None
    """What went wrong; None: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainWarning:
    """A warning of a chain."""

    code: str
    """Code of the warning."""
    message: str
    """The warning as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Several tools as one, which run, or have run."""

    id: str
    """Identifier of the chain."""
    name: str
    """In the names of its results."""
    recipe: str | None
    """The recipe that it was made of; None: a preset, or a chain of your own."""
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    """succeeded, failed and cancelled are final."""
    progress: float
    """0 to 1, of the whole; never falls."""
    stage: str
    """The current step and its stage."""
    estimated_seconds_left: float | None
    """Estimate in seconds; None until there is one."""
    steps: list[ChainStep]
    outputs: list[FileRecord]
    """Its results, the sound first; of a chain that ended early with settle steps: what was made by then."""
    settle: Literal["whole", "steps"]
    price: int
    """Credits that are reserved until it ends: the most that it costs."""
    charged: int | None
    """Credits that it cost; None until it ends."""
    failed_step: str | None
    """The step at which it failed or was cancelled; None: none."""
    error: ErrorRecord | None
    """What went wrong; None: nothing."""
    warnings: list[ChainWarning]
    created_at: datetime
    """Time of creation, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStepPrice:
    """What a step would cost at most."""

    name: str
    """By which the chain calls it."""
    tool: ToolId
    """Identifier of the tool."""
    seconds: int
    """Billed length at most."""
    credits: int
    """Its price at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainQuote:
    """What a chain would cost at most."""

    name: str
    """Of the chain."""
    credits: int
    """The most that it costs: the sum of its steps at the length of the files."""
    steps: list[ChainStepPrice]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeOption:
    """An option of a recipe."""

    description: str
    """What it does, in a few words."""
    choices: list[str] | None
    """None: True or False; none: any text."""
    per_file: bool
    """True: a value for each file, separated by commas; one alone counts for all."""
    default: str | bool
    """What counts where it is not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A chain that comes with Earshot."""

    name: str
    """By which it is run."""
    description: str
    """What it does."""
    min_files: int
    """Least count of files."""
    max_files: int
    """Largest count of files."""
    options: dict[str, RecipeOption]
    """Its choices, by name in lower case."""
