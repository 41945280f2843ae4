# Made by scripts/write-python-types.ts from openapi.json: edit the schemas, then `npm run client:types`.
"""Inputs of the tools, as REST takes them, and which of them are files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Required, TypedDict

from .records import FileRecord, ToolId

FileRef = str | FileRecord
"""A file of the account: its record or its id."""


class FilePlaces(NamedTuple):
    """Which inputs of a tool the files of a call are for."""

    single: tuple[str, ...]
    """Inputs of one file each, in order."""
    many: str | None
    """The input of several."""
    objects: bool
    """Does it take objects with a file_id?"""


FILE_PLACES: dict[ToolId, FilePlaces] = {
    "analyze_audio": FilePlaces(("file_id",), None, False),
    "adjust_loudness": FilePlaces(("file_id",), None, False),
    "convert_audio": FilePlaces(("file_id",), None, False),
    "cut_audio": FilePlaces(("file_id",), None, False),
    "remove_silence": FilePlaces(("file_id",), None, False),
    "join_audio": FilePlaces((), "file_ids", False),
    "replace_audio": FilePlaces(("video_file_id", "audio_file_id"), None, False),
    "level_speakers": FilePlaces(("file_id",), "track_file_ids", False),
    "mix_tracks": FilePlaces((), "tracks", True),
    "remove_noise": FilePlaces(("file_id",), None, False),
    "enhance_voice": FilePlaces(("file_id",), None, False),
    "transcribe_audio": FilePlaces(("file_id",), None, False),
    "align_script": FilePlaces(("file_id", "script_file_id"), None, False),
    "remove_fillers": FilePlaces(("file_id", "transcript_file_id"), None, False),
    "check_audio": FilePlaces(("file_id", "captions_file_id"), None, False),
    "align_recordings": FilePlaces((), "file_ids", False),
    "burn_captions": FilePlaces(("file_id", "captions_file_id"), None, False),
    "redact_audio": FilePlaces(("file_id", "transcript_file_id", "plan_file_id", "captions_file_id"), None, False),
    "change_speed": FilePlaces(("file_id",), None, False),
    "label_audio": FilePlaces(("file_id", "cover_file_id"), None, False),
}


class AnalyzeAudioInputs(TypedDict, total=False):
    """Measures a recording: format, loudness (EBU R 128), True peak, noise floor, silent stretches and the ACX
    audiobook checks."""

    file_id: FileRef
    """Audio or video file."""
    detail: Literal["concise", "full"]
    """concise lists up to 50 silent stretches, full lists all. Default: "concise"."""


class AdjustLoudnessInputs(TypedDict, total=False):
    """Brings a recording to the loudness of a target with one gain and limited True peaks, or makes it pass the ACX
    audiobook checks. custom_lufs is needed with target custom, and only then."""

    file_id: FileRef
    """Audio or video file."""
    target: Literal["podcast", "streaming", "broadcast", "audiobook", "custom"]
    """podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs). Default:
    "podcast"."""
    custom_lufs: float
    """Integrated loudness in LUFS; only with target custom. -30 to -5."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same keeps the input's format; a video stays a video. Default: "same"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class ConvertAudioInputs(TypedDict, total=False):
    """Converts the sound of an audio or video file to MP3, WAV, M4A, FLAC, OGG or Opus. bitrate_kbps only with
    format mp3, m4a, ogg, opus."""

    file_id: FileRef
    """Audio or video file."""
    format: Literal["mp3", "wav", "m4a", "flac", "ogg", "opus"]
    """Format of the output. Default: "mp3"."""
    bitrate_kbps: int
    """For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format. 16 to 320."""
    sample_rate: Literal[8000, 16000, 22050, 24000, 32000, 44100, 48000]
    """In Hz; default the input's."""
    channels: Literal["mono", "stereo"]
    """Default the input's."""
    fit_peaks: bool
    """Lower the level where peaks lie above full scale, so that none is clipped. Default: False."""
    fix_phase: bool
    """Turn a channel over that is the opposite of another, so that they do not cancel in mono. Default: False."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    preview_from: float
    """Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0 to
    36000."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class CutAudioInputs(TypedDict, total=False):
    """Removes stretches of a recording, or keeps only them, exact to the sample. A video is cut with its picture."""

    file_id: FileRef
    """Audio or video file."""
    ranges: Required[Sequence[tuple[float, float] | Sequence[float]]]
    """Stretches as [start, end] in seconds, in any order. 1 to 100 items."""
    mode: Literal["remove", "keep", "mute"]
    """remove the ranges, keep only them, or mute them. Default: "remove"."""
    output: Literal["joined", "separate"]
    """joined into one file, or separate: one file per range that stays. Default: "joined"."""
    order: Literal["recorded", "given"]
    """Order of kept ranges: that of the recording, or as given, where a range may come twice. Default: "recorded"."""
    crossfade_ms: int
    """Crossfade at each seam of a joined output, in ms. 0 to 200. Default: 20."""
    keep_encoding: bool
    """Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
    edges move to the nearest packet (of FLAC and ALAC they stay). Default: False."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class RemoveSilenceInputs(TypedDict, total=False):
    """Shortens the pauses of a recording without touching a word, and keeps the room tone between. A video is cut
    with its picture."""

    file_id: FileRef
    """Audio or video file."""
    min_pause_seconds: float
    """Pauses at least this long are shortened. 0.3 to 5. Default: 0.7."""
    keep_seconds: float
    """How much of each pause stays. 0 to 1. Default: 0.25."""
    keep_encoding: bool
    """Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
    edges move to the nearest packet (of FLAC and ALAC they stay). Default: False."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    preview_from: float
    """Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0 to
    36000."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class JoinAudioInputs(TypedDict, total=False):
    """Joins 2 to 20 recordings in order, whatever their formats, rates and channels. Videos are joined as a video
    when all files are videos and the output format is same."""

    file_ids: Sequence[FileRef]
    """Audio or video files, in order. 2 to 20 items."""
    crossfade_ms: int
    """How long each file overlaps the next, in ms. 0 to 5000. Default: 0."""
    match_loudness: bool
    """Bring the files to the same integrated loudness first. Default: True."""
    title_chapters: bool
    """Where no file has chapters, make each a chapter with its title, or its name. Default: True."""
    keep_encoding: bool
    """Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
    edges move to the nearest packet (of FLAC and ALAC they stay). Default: False."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same is the format of the first file. Default: "same"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class ReplaceAudioInputs(TypedDict, total=False):
    """Replaces a video's sound. The picture, subtitles, chapters and metadata are copied untouched."""

    video_file_id: FileRef
    """Video with its picture."""
    audio_file_id: FileRef
    """New sound, audio or video file."""
    offset_seconds: float
    """Moves the sound against the picture: positive later, negative earlier. -36000 to 36000. Default: 0."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class LevelSpeakersInputs(TypedDict, total=False):
    """Makes all speakers of a conversation equally loud, in one recording or on tracks of one speaker each, and
    brings the result to a loudness target. Give exactly one of file_id and track_file_ids. custom_lufs is needed
    with target custom, and only then."""

    file_id: FileRef
    """One recording with everyone."""
    track_file_ids: Sequence[FileRef]
    """Tracks of one speaker each, all starting at the same time. 2 to 10 items."""
    target: Literal["podcast", "streaming", "broadcast", "custom"]
    """podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast"."""
    custom_lufs: float
    """Integrated loudness in LUFS; only with target custom. -30 to -5."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same keeps each input's format; a video stays a video. Default: "same"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    preview_from: float
    """Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0 to
    36000."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class MixTracksInputsTrack(TypedDict, total=False):
    """A track of a mix."""

    file_id: Required[FileRef]
    """Identifier of the file."""
    role: Literal["voice", "music", "effects"]
    """What the track is; music falls under voice when duck is True. Default: "voice"."""
    volume_db: float
    """Gain of the track, dB, before the mix's own. Voices have one loudness at first: here is how far one lies above
    or under the others. -60 to 20. Default: 0."""


class MixTracksInputs(TypedDict, total=False):
    """Mixes voices, music and effects into one file at a loudness target, with music lowered under voice when
    wanted. custom_lufs is needed with target custom, and only then."""

    tracks: Sequence[MixTracksInputsTrack]
    """Tracks, all starting at the same time. 2 to 20 items."""
    duck: bool
    """Lowers music while someone speaks on a voice track: by 12 dB, or more where less than 10 LU would lie between
    them. Default: False."""
    target: Literal["podcast", "streaming", "broadcast", "custom"]
    """podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast"."""
    custom_lufs: float
    """Integrated loudness in LUFS; only with target custom. -30 to -5."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same keeps the first track's format; a video stays a video. Default: "same"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class RemoveNoiseInputs(TypedDict, total=False):
    """Takes background noise and rumble away from speech and keeps the voice, its place in the stereo image and its
    timing."""

    file_id: FileRef
    """Audio or video file."""
    noise_reduction: int
    """Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90 leaves a
    tenth (-20 dB). 10 to 100. Default: 100."""
    auto_volume: bool
    """Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP. Default: True."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same keeps the input's format; a video stays a video. Default: "same"."""
    method: Literal["voice", "steady"]
    """voice keeps voices, and music without one; steady takes away only what is always there, such as hiss and fans,
    and keeps birds, a crowd, footsteps; not for music. Default: "voice"."""
    voice_db: float
    """Level of voices, dB from where they were. -24 to 12. Default: 0."""
    room_db: float
    """Level of noise, ambience and reverberation, dB from where it was; 0 takes nothing away. Default: as
    noise_reduction says. -60 to 0."""
    music_db: float
    """Level of music in passages without a voice, dB from where it was. -60 to 12. Default: 0."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    preview_from: float
    """Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0 to
    36000."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class EnhanceVoiceInputs(TypedDict, total=False):
    """Makes a voice from a poor recording sound closer and clearer: takes noise and reverberation away, restores
    missing highs, and evens out tone, hisses and level. Recordings at 8 or 16 kHz whose highs were restored come out
    at 48 kHz."""

    file_id: FileRef
    """Audio or video file."""
    noise_reduction: int
    """Share of the regenerated voice in percent; lower mixes back the original sound. 10 to 100. Default: 100."""
    auto_volume: bool
    """Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced. Default:
    True."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same keeps the input's format; a video stays a video. Default: "same"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    preview_from: float
    """Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0 to
    36000."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class TranscribeAudioInputs(TypedDict, total=False):
    """Writes down what is said, with the time of every word and who said it: as JSON, as SubRip and WebVTT
    subtitles, and as plain text."""

    file_id: FileRef
    """Audio or video file."""
    language: str
    """Code of the language that is spoken; default detected."""
    verbatim: bool
    """Keep fillers such as um and uh. Default: True."""
    speaker_labels: bool
    """Number the speakers in the order of their first words, up to 8 people, no names. Default: True."""
    translate: bool
    """Write in English what is said in another language. Default: False."""
    vocabulary: Sequence[str]
    """Names and terms that may be said, as written, up to 8 words each. 1 to 500 items."""
    speakers: int
    """How many people speak, where that is known. 1 to 8."""
    min_speakers: int
    """How many people speak at least. 1 to 8."""
    max_speakers: int
    """How many people speak at most. 1 to 8."""
    speaker_channels: bool
    """Each speaker has a channel: two microphones, or the ends of a call. Default: False."""
    voices: Sequence[str]
    """Names of known voices, which then stand in place of numbers; or all. 1 to 200 items."""
    captions: Sequence[Literal["ass", "ttml", "docx", "rttm"]]
    """Further files: ass (styled captions), ttml (EBU-TT-D), docx, rttm (who speaks when). 1 to 4 items."""
    caption_profile: Literal["standard", "broadcast", "youtube", "shorts"]
    """Whom captions are for, by length of lines and speed; shorts: a few words at a time. Default: "standard"."""
    karaoke: bool
    """The time of each word in VTT and ASS. Default: False."""
    sound_events: bool
    """Also tell music, applause, sirens, ringing, thunder and animals. Default: False."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class AlignScriptInputs(TypedDict, total=False):
    """Finds when each word of a script is spoken in a recording. Give exactly one of text and script_file_id."""

    file_id: FileRef
    """Audio or video file."""
    script_file_id: FileRef
    """The script as a TXT, SRT or VTT file. Either this or text."""
    text: str
    """The script: plain text, SRT or VTT. Either this or script_file_id. 1 to 2097152 characters."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class RemoveFillersInputs(TypedDict, total=False):
    """Cuts um, uh and repeated words out of a recording, and leaves every other word, breaths and room tone as they
    were. A video is cut with its picture. The transcript of the result comes along. cut_ids needs
    transcript_file_id."""

    file_id: FileRef
    """Audio or video file."""
    transcript_file_id: FileRef
    """A verbatim transcript of this recording; without it the recording is transcribed."""
    dry_run: bool
    """List the cuts with their ids and make no audio. Default: False."""
    cut_ids: Sequence[str]
    """Ids of cuts from a dry run of the same transcript; needs transcript_file_id. Default: all. 1 to 5000 items."""
    fillers: Literal["cut", "mute", "lower"]
    """Fillers and repeats; lower is by 15 dB. Default: "cut"."""
    repeats: bool
    """Also up to 3 words that are said twice in a row, keeping the second. Default: True."""
    breaths: Literal["keep", "cut", "mute", "lower"]
    """Breaths between words. Default: "keep"."""
    mouth_clicks: Literal["keep", "cut", "mute", "lower"]
    """Clicks of lips and tongue in pauses. Default: "keep"."""
    coughs: Literal["keep", "cut", "mute", "lower"]
    """Coughs between words. Default: "keep"."""
    stutters: Literal["keep", "cut", "mute", "lower"]
    """A word's first sound said again before it (h-h-here), and words that break off (wh- what). Default: "keep"."""
    keep_encoding: bool
    """Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
    edges move to the nearest packet (of FLAC and ALAC they stay). Default: False."""
    language: str
    """Code of the language whose fillers are looked for: en, de, fr, es, it, nl, pt, pl, ja, ko; default detected."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    preview_from: float
    """Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0 to
    36000."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class CheckAudioInputsRule(TypedDict, total=False):
    """A rule of your own."""

    measure: Required[Literal["integratedLufs", "dialogueLufs", "dialoguePercent", "loudnessRangeLu", "maxMomentaryLufs", "maxShortTermLufs", "truePeakDbtp", "samplePeakDbfs", "rmsDbfs", "noiseFloorDbfs", "clippedSamples", "stereoCorrelation", "durationSeconds", "leadingSilenceSeconds", "trailingSilenceSeconds", "longestSilenceSeconds", "sampleRate", "channels", "bitsPerSample", "bitRateBps", "format", "codec", "tags", "captionLines", "captionLineCells", "captionCellsPerSecond", "captionShortestSeconds", "captionLongestSeconds", "captionGapSeconds", "captionOverlaps", "captionsAfterEndSeconds"]]
    """What is measured."""
    min: float
    """The least value: LUFS, dB, s, Hz, as the measure has it."""
    max: float
    """The greatest value: LUFS, dB, s, Hz, as the measure has it."""
    one_of: Sequence[str]
    """One of. 1 to 40 items."""
    has: Sequence[str]
    """All of. 1 to 40 items."""


class CheckAudioInputs(TypedDict, total=False):
    """Holds a recording, and its captions, against the rules of a policy: each measure with its limit, whether it
    passes, and which tool mends it. rules is needed with policy custom, and only then."""

    file_id: FileRef
    """Audio or video file."""
    captions_file_id: FileRef
    """Its captions, SRT or VTT, which are held against the rules for captions."""
    policy: Literal["podcast", "acx", "ebu-r128", "netflix-dialogue", "custom"]
    """What the recording has to meet; custom: rules. Default: "podcast"."""
    rules: Sequence[CheckAudioInputsRule]
    """With policy custom. 1 to 60 items."""


class AlignRecordingsInputs(TypedDict, total=False):
    """Finds where recordings of one event lie to each other by their sound, how far their clocks drift apart, and
    writes them so that they begin together."""

    file_ids: Sequence[FileRef]
    """Recordings of one event, in any order. 2 to 10 items."""
    find_only: bool
    """Only say how the recordings lie, and write no files. Default: False."""
    reference: int
    """Whose clock counts: how many files down the list, 1 for the first. Default: the longest. 1 to 10."""
    ends: Literal["pad", "trim", "reference"]
    """pad: from the first start to the last end, with silence; trim: only what all have; reference: as long as the
    reference. Default: "pad"."""
    correct_drift: bool
    """Bring all clocks to that of the reference; False moves recordings only, by whole samples. Default: True."""
    output_format: Literal["wav", "flac"]
    """Format of the outputs; both are lossless. Default: "wav"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class BurnCaptionsInputs(TypedDict, total=False):
    """Draws captions into the picture of a video, for places that show no subtitles."""

    file_id: FileRef
    """Video with its picture."""
    captions_file_id: FileRef
    """Captions: a transcript (JSON), SRT or VTT."""
    caption_profile: Literal["standard", "broadcast", "youtube", "shorts"]
    """Looks, and of a transcript lengths of lines and speed; shorts: a few large words at a time. Default:
    "standard"."""
    karaoke: bool
    """Words light up while they are said; needs a transcript. Default: False."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class RedactAudioInputs(TypedDict, total=False):
    """Takes words, numbers, speakers or ranges out of the sound, the transcript, captions, tags and chapters. Then
    the result is transcribed again, and a report says whether any is left."""

    file_id: FileRef
    """Audio or video file."""
    transcript_file_id: FileRef
    """A verbatim transcript of this recording; without it the recording is transcribed."""
    plan_file_id: FileRef
    """The result of a run with find_only, edited: its places are taken out, but those with "keep": True."""
    captions_file_id: FileRef
    """Captions of this recording (SRT, VTT), which come back without what was taken out."""
    words: Sequence[str]
    """Words and phrases, in any case, with or without accents and hyphens; what sounds the same counts. 1 to 500
    items."""
    match: Literal["words", "forms", "parts"]
    """words: alone; forms: also plurals and cases; parts: also within longer words, as in compounds. Default:
    "words"."""
    patterns: Sequence[Literal["card", "iban", "phone", "email", "web", "address", "number"]]
    """Numbers and addresses by their form, written or spoken; number: four digits and more. 1 to 7 items."""
    speaker_numbers: Sequence[int]
    """Everything that these speakers say, by their numbers in the transcript. 1 to 20 items."""
    ranges: Sequence[tuple[float, float] | Sequence[float]]
    """Stretches as [start, end] in seconds, in any order. 1 to 10000 items."""
    mode: Literal["mute", "bleep", "noise"]
    """What is heard instead: nothing, a tone of 1 kHz, or noise of the room's colour. Default: "mute"."""
    guard_ms: int
    """How far before and behind a word its sound is taken, in ms. 0 to 500. Default: 20."""
    find_only: bool
    """List what would be taken out, as a plan, and make no audio. Default: False."""
    language: str
    """Code of the language that is spoken; default detected."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class ChangeSpeedInputs(TypedDict, total=False):
    """Makes a recording faster or slower and keeps the pitch of voices and music."""

    file_id: FileRef
    """Audio or video file."""
    speed: float
    """How many times as fast: 1.25 takes a fifth off the length, 0.5 doubles it. 0.25 to 4. Default: 1.25."""
    output_format: Literal["same", "wav", "mp3", "m4a", "flac"]
    """same keeps the input's format; of a video its sound, as m4a. Default: "same"."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""


class LabelAudioInputsChapter(TypedDict, total=False):
    """Where a chapter begins, and its title"""

    start_seconds: Required[float]
    """Where it begins. 0 to 36000."""
    title: Required[str]
    """What it is called. At most 400 characters."""


class LabelAudioInputs(TypedDict, total=False):
    """Writes tags, a cover and chapters into a recording. Sound and moving picture are copied as they are."""

    file_id: FileRef
    """Audio or video file."""
    cover_file_id: FileRef
    """Picture that becomes the cover, JPEG or PNG."""
    title: str
    """Of the recording; an empty text takes a tag away. At most 200 characters."""
    artist: str
    """Who is heard. At most 200 characters."""
    album: str
    """The show, or the album. At most 200 characters."""
    date: str
    """The year, or a date as 2026-11-30. At most 200 characters."""
    genre: str
    """Such as Podcast. At most 200 characters."""
    comment: str
    """A few words about it. At most 2000 characters."""
    chapters: Sequence[LabelAudioInputsChapter]
    """In place of its own; an empty list takes them away. At most 500 items."""
    track: str
    """The sound track: number from 1, or language (deu). Default: the file's own."""
    max_credits: int
    """A job that would cost more does not start. At least 1."""
    free: bool
    """True: only the free part, never paid. False: the whole file, paid, or nothing. Default: paid if the balance
    covers it, else free."""
