/**
 * Earshot as a library. Importing it loads nothing native: runs work in processes of their own, and what decodes in
 * this process is loaded when it is first called.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a Node that is too old
import './library/core/start/oldest-node.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a system that nothing of ours runs on
import './library/core/start/needs-glibc.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws in a bundle
import './library/core/start/whole-installation.ts';
import { existsSync } from 'node:fs';
import { EarshotError } from './library/core/errors/errors.ts';
import type { ChapterStart } from './library/media/chapters/times.ts';
import type { Chapter, MediaFacts } from './library/media/facts.ts';
import type { TagChanges } from './library/media/write/set-tags.ts';
import type { ToolIdOf, ToolName } from './library/contract/tool-ids.ts';
import type { Engine } from './library/runtime/engine/engine-types.ts';
import type { FinishedRun, ReportOptions } from './library/runtime/recipes/report/report.ts';
import type { VoicePrint } from './library/contract/voice-print.ts';
import type { VoicePrintOptions } from './library/runtime/recipes/voice-print.ts';
import type { RunTimeline } from './library/runtime/recipes/timeline-of-run.ts';
import type { TimelineOptions } from './library/timeline/form/arrange.ts';
import type { TimelineRanges } from './library/timeline/read/ranges.ts';
import type { TimelineFormat } from './library/timeline/form/timeline.ts';
import type { Album, AlbumOptions } from './library/runtime/recipes/album.ts';
import type { Preview, PreviewOptions } from './library/runtime/recipes/preview.ts';
import type { ToolOptionsById } from './library/tools/option-types.ts';
import type { BurnOptions } from './library/runtime/recipes/burn-captions.ts';
import type { NamedFile, RunInput } from './library/runtime/files/inputs.ts';
import type { ByteChunks } from './library/runtime/files/byte-sources.ts';
import type { SoundInput } from './library/runtime/files/sound-inputs.ts';
import type { Sound } from './library/pcm/sound.ts';
import type { ReadSoundOptions } from './library/runtime/files/output-samples.ts';
import type {
  StreamTranscribeOptions,
  StreamTranscriptionOptions,
} from './library/runtime/recipes/stream-transcription.ts';
import type { LiveSentence } from './library/tools/option-types.ts';
import type { Warning } from './library/core/progress/progress.ts';
import type { TranscriptFormat } from './library/speech/transcript/write/formats.ts';
import type { AssOptions as CaptionOptions } from './library/speech/transcript/write/ass.ts';
import type { DrawSpectrogramOptions, DrawWaveformOptions } from './library/waveform/draw.ts';
import type { WaveformPeaks } from './library/waveform/meter-peaks.ts';
import type { PeaksOptions } from './library/waveform/peaks.ts';

export {
  type ChainingEngine,
  createEngine,
  type FluentChain,
  type StepSettings,
} from './library/runtime/chains/fluent.ts';
export type {
  Engine,
  EngineEvents,
  EngineOptions,
  RunArguments,
  RunEvent,
  RunOptions,
  RunState,
  RunWarning,
  SampledRun,
  StartedRun,
  StreamedRun,
  StreamOptions,
  ToolRun,
} from './library/runtime/engine/engine-types.ts';
export {
  masterTracks,
  type MasterOptions,
  type MasterRole,
  type MasterRun,
  type MasterTrack,
  type MasteredTrack,
} from './library/runtime/recipes/master.ts';
export { runChain } from './library/runtime/chains/run-chain.ts';
export type { ChainedStep, ChainOptions, ChainOutput, ChainRun } from './library/runtime/chains/chain-run.ts';
export { watchFolder, type WatchOptions } from './library/runtime/chains/watch-folder.ts';
export type { WatchCounts, WatchEvent, WatchWork } from './library/runtime/chains/watch.ts';
export { chainSchema, type Chain, type ChainStep, type StepSource } from './library/runtime/chains/chain.ts';
export { findRecipe, recipes, type Recipe, type RecipeOption } from './library/runtime/chains/recipes.ts';
export type { FileForm, LikeForm, WrittenForm } from './library/media/write/written-form.ts';
export type { FinishedRun, ReportOptions } from './library/runtime/recipes/report/report.ts';
export type { RunTimeline } from './library/runtime/recipes/timeline-of-run.ts';
export type { KnownVoice, VoiceDecision, VoicePrint } from './library/contract/voice-print.ts';
export type { VoicePrintOptions } from './library/runtime/recipes/voice-print.ts';
export type { TimelineOptions } from './library/timeline/form/arrange.ts';
export type { TimelineRanges } from './library/timeline/read/ranges.ts';
export type { TimelineFormat } from './library/timeline/form/timeline.ts';
export type { Preview, PreviewedVersion, PreviewOptions } from './library/runtime/recipes/preview.ts';
export { transcribeLive, type LiveTranscription } from './library/runtime/recipes/live-transcription.ts';
export type { NamedBytes, NamedFile, RunInput, RunInputs } from './library/runtime/files/inputs.ts';
export type { ByteChunks, ByteSource, ByteStream } from './library/runtime/files/byte-sources.ts';
export type { RawSound, SoundInput, SoundSamples } from './library/runtime/files/sound-inputs.ts';
export type { AudioBufferLike, SampleBlock, Sound } from './library/pcm/sound.ts';
export type { RawFormat } from './library/media/wave/header.ts';
export type { ReadSoundOptions, SoundOutput } from './library/runtime/files/output-samples.ts';
export type { OutputStream } from './library/runtime/files/output-streams.ts';
export type { OutputFile } from './library/runtime/files/work-folder.ts';
export {
  EarshotError,
  errorCatalogue,
  type ErrorCode,
  type ErrorDetails,
  type ErrorJson,
} from './library/core/errors/errors.ts';
export { AbortError } from './library/core/abort.ts';
export type { OnProgress, Progress, Warning } from './library/core/progress/progress.ts';
export { warningCatalogue, type WarningCode } from './library/core/errors/warnings.ts';
export type { FinishedPart } from './library/core/progress/finished-parts.ts';
export type { JsonObject, JsonValue } from './library/core/json.ts';
export {
  toolIds,
  toolSlugs,
  type ToolId,
  type ToolIdOf,
  type ToolName,
  type ToolSlug,
} from './library/contract/tool-ids.ts';
export { tools } from './library/tools/registry.ts';
export { optionsSchema } from './library/tools/standard-schema.ts';
export type { AnyTool } from './library/tools/declare/define.ts';
export type * from './library/tools/option-types.ts';
export type * from './library/tools/results.ts';
export type { Chapter, MediaFacts } from './library/media/facts.ts';
export type { TagChanges } from './library/media/write/set-tags.ts';
export type { ChapterStart } from './library/media/chapters/times.ts';
export { podcastChapters, type PodcastChapters } from './library/media/chapters/podcast.ts';
export type { WaveformPeaks } from './library/waveform/meter-peaks.ts';
export type { PeaksOptions } from './library/waveform/peaks.ts';
export type {
  StreamTranscribeOptions,
  StreamTranscriptionOptions,
} from './library/runtime/recipes/stream-transcription.ts';
export type { Album, AlbumFile, AlbumOptions } from './library/runtime/recipes/album.ts';
export type { BurnOptions } from './library/runtime/recipes/burn-captions.ts';
export type { AssOptions as CaptionOptions } from './library/speech/transcript/write/ass.ts';
export type { TranscriptFormat } from './library/speech/transcript/write/formats.ts';
export type { CaptionProfile } from './library/speech/transcript/write/limits.ts';
export type { DrawSpectrogramOptions, DrawWaveformOptions } from './library/waveform/draw.ts';
export type { RenderOptions, WaveformPictureOptions } from './library/waveform/render.ts';
export type { SpectrogramOptions } from './library/waveform/render-spectrogram.ts';

/** @throws EarshotError tool_unavailable when what they need is not installed */
async function loaded<Modules extends readonly unknown[]>(
  ...modules: { [At in keyof Modules]: Promise<Modules[At]> }
): Promise<Modules> {
  try {
    return await Promise.all(modules);
  } catch (thrown) {
    throw EarshotError.from(thrown);
  }
}

/**
 * Looks at a media file: container, length, streams, tags, chapters. Decodes next to nothing. Bytes and streams are set
 * aside in the system's temporary folder meanwhile. See `src/library/media/read/probe.ts`.
 * @throws EarshotError not_found, file_invalid or unsupported_format; bad_request when a stream fails; tool_unavailable
 *   where FFmpeg's libraries are not installed
 */
export async function probe(input: RunInput): Promise<MediaFacts> {
  const [{ probe: look }, { withFile }] = await loaded(
    import('./library/media/read/probe.ts'),
    import('./library/runtime/files/spooled-inputs.ts'),
  );
  return withFile(input, (path, name) => {
    const facts = look(path);
    return name === null ? facts : { ...facts, path: name };
  });
}

/**
 * Decodes a recording into samples in memory: 4 bytes a sample, so an hour of stereo at 48 kHz is 1.4 GB. See
 * `src/library/runtime/files/output-samples.ts`.
 * @throws EarshotError as `probe`, and no_audio; AbortError
 */
export async function readSound(input: RunInput, { signal }: ReadSoundOptions = {}): Promise<Sound> {
  const [{ decodeSound: read }, { withFile }] = await loaded(
    import('./library/runtime/files/output-samples.ts'),
    import('./library/runtime/files/spooled-inputs.ts'),
  );
  return withFile(input, (path) => read(path, signal), signal);
}

/**
 * Transcribes a stream that may never end, such as a microphone's, and yields each sentence some two seconds after the
 * pause behind it begins; speech without pauses comes in parts of 8 to 12 s. Times are seconds from the stream's start.
 * Memory does not grow with time, and nothing is left out: where the machine is slower than the speech, the stream
 * waits. There are no speaker labels. It runs in a process of its own. See
 * `src/library/runtime/recipes/stream-transcription.ts`.
 * @param source WAV, Ogg, MP3, FLAC, Matroska or MPEG-TS, as FFmpeg streams them; not MP4; or samples: `{ samples,
 *   sampleRate }` with a stream of blocks, `{ raw, format, sampleRate, channels }`
 * @param options of transcribe_audio; default: its defaults
 * @throws EarshotError bad_request for an option out of range, for samples that are none, and when the stream fails;
 *   unsupported_format, no_audio, file_invalid; tool_unavailable without models; AbortError
 */
export async function* transcribeStream(
  source: ByteChunks | SoundInput,
  options: StreamTranscribeOptions = {},
  control: StreamTranscriptionOptions = {},
): AsyncGenerator<LiveSentence, void, void> {
  const [{ transcribeStream: follow }] = await loaded(import('./library/runtime/recipes/stream-transcription.ts'));
  yield* follow(source, options, control);
}

/**
 * Makes a voice print of a recording of one person, by which transcribe_audio knows the voice again (`knownVoices` of a
 * run). It is biometric data: make it only of people who have agreed. It runs in a process of its own. See
 * `src/library/speech/voices/voice-print.ts` and docs/voices.md.
 * @returns JSON to be kept; it holds no sound
 * @throws EarshotError bad_request where several people speak, or one for less than 5 s (details.reason:
 *   several_voices, too_little_speech); ranges_outside; as `probe`; tool_unavailable without models; AbortError
 */
export async function makeVoicePrint(input: RunInput, options: VoicePrintOptions = {}): Promise<VoicePrint> {
  const [{ makeVoicePrint: make }] = await loaded(import('./library/runtime/recipes/voice-print.ts'));
  return make(input, options);
}

/**
 * One voice print of several recordings of a person, which is worth more than a longer one of one recording. See
 * `src/library/speech/voices/voice-print.ts`.
 * @param prints in any order, at least one
 * @throws EarshotError bad_request for prints of different networks, and where the voices are not alike
 *   (details.reason: print_of_other_model, other_voice)
 */
export async function joinVoicePrints(prints: readonly [VoicePrint, ...VoicePrint[]]): Promise<VoicePrint> {
  const [{ joinVoicePrints: join }, { checkVoicePrint }] = await loaded(
    import('./library/speech/voices/join-prints.ts'),
    import('./library/contract/voice-print.ts'),
  );
  return prints.map(checkVoicePrint).reduce(join);
}

/**
 * Reads a whole file into the lowest and highest sample of each stretch of time, to draw it. Bytes and streams are set
 * aside in the system's temporary folder meanwhile. See `src/library/waveform/peaks.ts`.
 * @throws EarshotError as `probe`, and no_audio; AbortError
 */
export async function peaks(input: RunInput, options: PeaksOptions = {}): Promise<WaveformPeaks> {
  const [{ peaks: read }, { withFile }] = await loaded(
    import('./library/waveform/peaks.ts'),
    import('./library/runtime/files/spooled-inputs.ts'),
  );
  return withFile(input, (path) => read(path, options), options.signal);
}

/**
 * Copies a recording with these chapters in place of its own: sound, picture, tags and cover as they are, nothing is
 * encoded again. See `src/library/media/write/set-chapters.ts`.
 * @param input path of the recording
 * @param output path of the copy, in a folder that is there; no file may be there yet
 * @returns the chapters as they were written, in the order of their starts
 * @throws EarshotError as `probe`; conflict where the output is there; bad_request for a chapter that begins behind the
 *   end; unsupported_format for a format that has no place for chapters; AbortError
 */
export async function setChapters(
  input: string,
  output: string,
  chapters: readonly ChapterStart[],
  {
    signal = new AbortController().signal,
    onWarning,
  }: {
    /** Ends the copying. Default: nothing does. */
    readonly signal?: AbortSignal;
    /** Told what of the recording is not in the copy. Default: nothing is. */
    readonly onWarning?: (warning: Warning) => void;
  } = {},
): Promise<Chapter[]> {
  refuseThere(output);
  const [{ setChapters: write }] = await loaded(import('./library/media/write/set-chapters.ts'));
  return write(input, output, chapters, { signal, onWarning });
}

/**
 * Copies a recording with these tags and this cover: sound, pictures, subtitles and chapters as they are, nothing is
 * encoded again. Tags that are not named stay. See `src/library/media/write/set-tags.ts`.
 * @param input path of the recording
 * @param output path of the copy, in a folder that is there; no file may be there yet
 * @returns the tags of the copy, as they are read from it
 * @throws EarshotError as `probe`; conflict where the output is there; bad_request for a name, a value or a picture
 *   that cannot be stored; unsupported_format for a format that has no place for them; AbortError
 */
export async function setTags(
  input: string,
  output: string,
  changes: TagChanges,
  {
    signal = new AbortController().signal,
    onWarning,
  }: {
    /** Ends the copying. Default: nothing does. */
    readonly signal?: AbortSignal;
    /** Told what of the recording is not in the copy. Default: nothing is. */
    readonly onWarning?: (warning: Warning) => void;
  } = {},
): Promise<Readonly<Record<string, string>>> {
  refuseThere(output);
  const [{ setTags: write }] = await loaded(import('./library/media/write/set-tags.ts'));
  return write(input, output, changes, { signal, onWarning });
}

/**
 * Writes a transcript as captions or as a document: srt, vtt, txt, json, ass, ttml (EBU-TT-D), docx or rttm.
 * @param transcript content of a transcript's JSON, as transcribe_audio writes it (docs/transcript-format.md)
 * @returns text, or the bytes of a docx
 * @throws EarshotError wrong_file_type when it is no transcript
 */
export async function formatTranscript(
  transcript: string,
  format: TranscriptFormat,
  options: CaptionOptions = {},
): Promise<string | Uint8Array> {
  const [{ parseTranscript }, { writeTranscript }] = await loaded(
    import('./library/contract/parse-transcript.ts'),
    import('./library/speech/transcript/write/formats.ts'),
  );
  return writeTranscript(parseTranscript(transcript), format, options);
}

/**
 * Draws the captions of a transcript into the pictures of a video, which are encoded again, as is the sound; tags,
 * chapters, cover and subtitle tracks are kept. Works in this process.
 * See `src/library/runtime/recipes/burn-captions.ts`.
 * @param input path of the video
 * @param output path of the new video, with the same extension, in a folder that is there; no file may be there yet
 * @param transcript content of a transcript's JSON
 * @throws EarshotError as `probe`; conflict where the output is there; wrong_file_type for a file without a picture;
 *   tool_unavailable where the machine has no font; AbortError
 */
export async function burnCaptions(
  input: string,
  output: string,
  transcript: string,
  options: BurnOptions = {},
): Promise<{ readonly warnings: readonly Warning[] }> {
  refuseThere(output);
  const [{ parseTranscript }, { burnCaptions: burn }] = await loaded(
    import('./library/contract/parse-transcript.ts'),
    import('./library/runtime/recipes/burn-captions.ts'),
  );
  return burn(input, output, parseTranscript(transcript), options);
}

function refuseThere(output: string): void {
  if (existsSync(output))
    throw new EarshotError('conflict', `The file ${output} exists already`, { nextAction: 'Choose another path.' });
}

/**
 * Draws peaks as a PNG or WebP picture, by default 1600 x 320 pixels. See `src/library/waveform/render.ts`.
 * @throws EarshotError bad_request on a size or colour out of range
 */
export const renderWaveform: typeof import('./library/waveform/render.ts').renderWaveform = async (waveform, options) =>
  (await import('./library/waveform/render.ts')).renderWaveform(waveform, options);

/**
 * Draws the waveform of a media file's sound: peaks around a body of root mean square, 1600 x 320 pixels unless told
 * otherwise, with a time axis, normalised and a lane for each channel where the options say so. Reads the file once;
 * the same file gives the same bytes. See `src/library/waveform/draw.ts`.
 * @returns an encoded PNG or WebP
 * @throws EarshotError as `peaks`; bad_request on a size or colour out of range; tool_unavailable where sharp is not
 *   installed; AbortError
 */
export async function drawWaveform(input: RunInput, options: DrawWaveformOptions = {}): Promise<Buffer> {
  const [{ drawWaveform: draw }, { withFile }] = await loaded(
    import('./library/waveform/draw.ts'),
    import('./library/runtime/files/spooled-inputs.ts'),
  );
  return withFile(input, (path) => draw(path, options), options.signal);
}

/**
 * Draws the spectrogram of a media file's sound, 1600 x 640 pixels unless told otherwise, with a logarithmic or linear
 * frequency axis and levels in dB (0 is a sine of full scale). Reads the file once; the same file gives the same bytes.
 * See `src/library/waveform/draw.ts`.
 * @returns an encoded PNG or WebP
 * @throws EarshotError as `peaks`; bad_request on a size, colour, level or frequency out of range; tool_unavailable
 *   where sharp is not installed; AbortError
 */
export async function drawSpectrogram(input: RunInput, options: DrawSpectrogramOptions = {}): Promise<Buffer> {
  const [{ drawSpectrogram: draw }, { withFile }] = await loaded(
    import('./library/waveform/draw.ts'),
    import('./library/runtime/files/spooled-inputs.ts'),
  );
  return withFile(input, (path) => draw(path, options), options.signal);
}

/**
 * Makes a passage of a recording as a tool would make it, and writes it beside the same passage as it was, both equally
 * loud (integrated loudness), so that the ear compares the sound and not the level. The tool gets the passage with a
 * minute before and after it, so that it decides as over the whole; recordings of up to five minutes it gets whole. See
 * `src/library/runtime/recipes/preview.ts`.
 * @param tool one that changes one recording: adjust_loudness, convert_audio, enhance_voice, level_speakers,
 *   remove_fillers, remove_noise or remove_silence, or its slug
 * @param input path of the recording; of a video the sound
 * @param options of the tool; default: its defaults
 * @throws EarshotError bad_request for a tool, a passage or an option that does not fit, and where the tool removes the
 *   whole passage; not_found, conflict; errors of the tool; AbortError
 */
export async function previewTool<Name extends ToolName>(
  engine: Engine,
  tool: Name,
  input: string,
  options?: ToolOptionsById[ToolIdOf<Name>],
  preview: PreviewOptions = {},
): Promise<Preview> {
  const [{ previewUntyped }, { requireTool }] = await loaded(
    import('./library/runtime/recipes/preview.ts'),
    import('./library/tools/registry.ts'),
  );
  const chosen = requireTool(tool);
  return previewUntyped(engine, chosen, input, chosen.parseOptions(options ?? {}), preview);
}

/**
 * Measures several files as one programme (EBU R 128: blocks and gates over all of them), and says the one gain that
 * brings them to a target and keeps their levels among each other: `gain_db` of adjust_loudness. The highest true peak
 * bounds it. Works in this process. See `src/library/runtime/recipes/album.ts`.
 * @param paths in order, at least one
 * @throws EarshotError as `probe`; bad_request, no_audio; AbortError
 */
export async function measureAlbum(paths: readonly string[], options: AlbumOptions = {}): Promise<Album> {
  const [{ measureAlbum: measure }] = await loaded(import('./library/runtime/recipes/album.ts'));
  return measure(paths, options);
}

/**
 * Makes one HTML file of a finished run, with waveforms and spectrograms of what went in and came out, measures of
 * both, the change of level over time, the places that were cut, warnings, options and the result. It needs no other
 * file, has no scripts, and shows names without folders. The same files give the same bytes. See
 * `src/library/runtime/recipes/report/report.ts`.
 * @param run its outputs must be where it put them
 * @param inputs paths of its inputs in order; those without sound are only named
 * @returns the file's content
 * @throws EarshotError as `probe`; AbortError
 */
export async function reportRun(
  run: FinishedRun,
  inputs: readonly (string | NamedFile)[],
  options: ReportOptions = {},
): Promise<string> {
  const [{ reportRun: report }] = await loaded(import('./library/runtime/recipes/report/report.ts'));
  return report(run, inputs, options);
}

/**
 * Writes what a finished run did to its recordings as a timeline of the recordings themselves, for editing programs:
 * runs of cut_audio, remove_silence, remove_fillers (a dry run, too), join_audio, mix_tracks, level_speakers with a
 * track for each speaker, and transcribe_audio, whose sentences become markers. Sound is exact to the sample in otio,
 * reaper, audacity and csv; fcpxml, xmeml and edl count pictures. See
 * `src/library/runtime/recipes/timeline-of-run.ts`.
 * @param inputs paths of the run's recordings in order, as the timeline is to name them
 * @returns the text, and what of the timeline the format cannot hold
 * @throws EarshotError bad_request for a run that has no timeline; as `probe`
 */
export async function writeTimeline(
  run: FinishedRun,
  inputs: readonly (string | NamedFile)[],
  format: TimelineFormat,
  options: TimelineOptions = {},
): Promise<RunTimeline> {
  const [{ runTimeline }] = await loaded(import('./library/runtime/recipes/timeline-of-run.ts'));
  return runTimeline(run, inputs, format, options);
}

/**
 * Reads what an editing program kept of a recording, from OpenTimelineIO, FCPXML or an EDL (CMX3600): `ranges` of
 * cut_audio with mode keep. Of several tracks the first of sound is read. See
 * `src/library/timeline/read/ranges.ts`.
 * @param path of the timeline
 * @param recording path of the recording, whose name the timeline has
 * @returns the ranges, and what the timeline says besides, which a cut does not do
 * @throws EarshotError file_invalid for what is no timeline; bad_request where it has other recordings or another
 * order;
 *   ranges_outside; as `probe`
 */
export async function readTimelineRanges(
  path: string,
  recording: string,
  options: {
    /** Of an EDL, frames a second. Default: the recording's pictures', else 30. */
    readonly frameRate?: number;
  } = {},
): Promise<TimelineRanges> {
  const [{ timelineRanges }] = await loaded(import('./library/runtime/recipes/timeline-ranges.ts'));
  return timelineRanges(path, recording, options);
}
