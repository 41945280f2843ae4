import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { abortErrorOf } from '../../core/abort.ts';
import { ownSession } from '../../core/machine/child-processes.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { LiveSentence, TranscribeAudioOptions } from '../../tools/option-types.ts';
import { transcribeAudio } from '../../tools/transcribe_audio/tool.ts';
import { abandon, adopt, type ByteChunks, chunksOf } from '../files/byte-sources.ts';
import { isSound, type SoundInput, streamOf, type WaveBytes, waveBytesOf } from '../files/sound-inputs.ts';
import type { FromLive, LiveSettings } from '../channel/live-messages.ts';
import { ownProcess } from '../process/own-process.ts';

/** How a stream is transcribed. */
export interface StreamTranscriptionOptions {
  /** Ends it at once: the loop throws an AbortError. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Ends it as the stream's end does: what was said until then still comes. Default: none. */
  readonly stop?: AbortSignal | undefined;
  /** Folder with model files. Default: the models' own default place. */
  readonly modelsDir?: string | undefined;
  /** Cores to use, at least 1. Default: those of this process. */
  readonly cores?: number | undefined;
  /** Folder for speech that waits, some megabytes. Default: the system's temporary folder. */
  readonly tempDir?: string | undefined;
  /**
   * Read an unfinished stretch again about every second, once the language is known: a sentence comes within some 3 s
   * of its end, at most 6, for two fifths of a core instead of a fifth. Not when the stream arrives faster than real
   * time. Default: true; false: speech without pauses comes in parts of 8 to 12 s.
   */
  readonly early?: boolean | undefined;
  /**
   * Called, at most every 30 s, when reading is slower than speech: with the seconds between what was said and now.
   * Default: none.
   */
  readonly onBehind?: ((seconds: number) => void) | undefined;
}

/** Options of transcribe_audio that a stream can have. */
export type StreamTranscribeOptions = Pick<
  TranscribeAudioOptions,
  'language' | 'verbatim' | 'translate' | 'vocabulary'
>;

type Follower = ChildProcessByStdio<Writable, Readable, Readable>;

function startFollower(settings: LiveSettings): Follower {
  const { path, arguments: given, environment } = ownProcess('library/runtime/job/live-process');
  return spawn(path, [...given, JSON.stringify(settings)], {
    env: environment,
    ...ownSession(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The bytes of samples, as those of a WAV file. */
async function* bytesOf(wave: WaveBytes, over: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  yield wave.header(null);
  yield* wave.chunks('stream', over);
}

/** Writes the stream's bytes to the process as it takes them. @returns what the stream failed with; null: it ended */
async function feed(
  bytes: AsyncIterable<Uint8Array>,
  { stdin }: Follower,
  over: AbortSignal,
): Promise<EarshotError | null> {
  // The process has ended first: it says why itself.
  stdin.on('error', () => undefined);
  try {
    for await (const chunk of bytes) {
      if (stdin.destroyed) break;
      // Also called where the process has ended.
      await new Promise<void>((resolve) => void stdin.write(chunk, () => resolve()));
    }
    return null;
  } catch (thrown) {
    return over.aborted ? null : EarshotError.from(thrown);
  } finally {
    stdin.end();
  }
}

/**
 * Transcribes a stream that may never end, such as a microphone's, and yields each sentence some two seconds after the
 * pause behind it begins, or some three where there is no pause. Times are seconds from the stream's start. Memory does
 * not grow with time, and nothing is left out: when the machine is slower than the speech, the stream is paused. There
 * are no speaker labels. It runs in a process of its own, which is not confined as jobs are (docs/confinement.md).
 *
 * @param source WAV, Ogg, MP3, FLAC, Matroska or MPEG-TS, as FFmpeg streams them; not MP4; or samples
 * @param options of transcribe_audio; default: its defaults
 * @throws EarshotError bad_request for an option out of range, for samples that are none, and when the stream fails;
 *   unsupported_format, no_audio, file_invalid; tool_unavailable without models; AbortError
 * @example
 *   for await (const { startSeconds, text } of transcribeStream(process.stdin)) console.log(startSeconds, text);
 */
export async function* transcribeStream(
  source: ByteChunks | SoundInput,
  options: StreamTranscribeOptions = {},
  control: StreamTranscriptionOptions = {},
): AsyncGenerator<LiveSentence, void, void> {
  const { language, verbatim, translate, vocabulary } = transcribeAudio.parseOptions(options);
  const { signal, stop, early = true, onBehind, modelsDir, cores, tempDir } = control;
  if (signal?.aborted) throw abortErrorOf(signal);
  const data = isSound(source) ? waveBytesOf(source) : source;
  const stream = streamOf(data);
  if (stream !== null) adopt(stream);
  const left = new AbortController();
  const over = AbortSignal.any([left.signal, ...(signal ? [signal] : []), ...(stop ? [stop] : [])]);
  const follower = startFollower({
    options: { language, verbatim, translate, vocabulary },
    early,
    modelsDir,
    cores,
    tempDir,
  });
  const kill = (): void => void follower.kill('SIGKILL');
  signal?.addEventListener('abort', kill, { once: true });
  process.once('exit', kill);
  let [said, ended] = ['', false];
  follower.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4096)));
  const exit = new Promise<string>((resolve) => {
    follower.once('error', ({ message }) => resolve(message));
    follower.once('exit', (code, name) => resolve(name ?? `exit code ${code}`));
  });
  let failed: EarshotError | null = null;
  const bytes = 'header' in data ? bytesOf(data, over) : chunksOf(data, 'stream', over);
  const feeding = feed(bytes, follower, over).then((error) => (failed = error));
  try {
    for await (const line of createInterface({ input: follower.stdout })) {
      const message = JSON.parse(line) as FromLive;
      if ('sentence' in message) yield message.sentence;
      else if ('behindSeconds' in message) onBehind?.(message.behindSeconds);
      else if ('ended' in message) ended = true;
      else {
        // What was cut off before it could be told what it is has not failed: it was ended.
        if (stop?.aborted && !signal?.aborted) return;
        throw failed ?? EarshotError.fromJSON(message.error);
      }
    }
    if (signal?.aborted) throw abortErrorOf(signal);
    const broken = await feeding;
    if (broken !== null) throw broken;
    if (!ended)
      throw new EarshotError('internal_error', `The process that transcribes the stream has ended: ${await exit}`, {
        details: { stderrTail: said },
      });
  } finally {
    signal?.removeEventListener('abort', kill);
    process.removeListener('exit', kill);
    left.abort();
    kill();
    if (stream !== null) abandon(stream);
    await exit;
  }
}
