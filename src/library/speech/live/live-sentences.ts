// The sentences of a stream of sound while it goes on: each stretch of speech is transcribed as a short recording.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptSentence, TranscriptWord } from '../../contract/transcript.ts';
import { throwIfAborted } from '../../core/abort.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { stepSamples } from '../activity/activity-task.ts';
import { type LiveVoice, loadVoiceNetwork, openLiveVoice } from '../activity/live-voice.ts';
import { openSpeech, speechRate } from '../speech-sound.ts';
import { transcribe, type TranscribeOptions } from '../transcribe/transcribe.ts';
import { sentenceSplitter, type SentenceSplitter } from '../transcript/sentences/split.ts';
import {
  draftEverySeconds,
  draftRest,
  hasSentenceMark,
  finalWords,
  leastDraftSeconds,
  mostPauseSeconds,
} from './drafts.ts';
import { createSegmenter, type Segmenter, type SpeechSegment } from './segments.ts';

const secondsPerStep = stepSamples / speechRate;

/** Mono sound at `speechRate`, as it arrives; null at the end. */
export interface LiveSound {
  next(): Promise<Float32Array | null>;
  /** `next` answers the end soon. */
  stop(): void;
}

export interface LiveOptions extends Pick<TranscribeOptions, 'language' | 'verbatim' | 'translate' | 'vocabulary'> {
  /** An existing folder for sound that is being read: some megabytes. */
  readonly folder: string;
  readonly modelsDir: string | undefined;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /**
   * Read an unfinished stretch again about every second, so that a sentence comes soon also where no pause is behind
   * it: two fifths of a core instead of a fifth. Applies once the language is known, and not when the stream arrives
   * faster than real time. Default true.
   */
  readonly early?: boolean | undefined;
  /** The speech comes faster than it can be read: this many seconds lie between what was said and now. */
  onBehind?(seconds: number): void;
}

/** So much speech may wait to be read; then no more is taken from the stream. */
const mostWaitingSeconds = 60;
/** With more waiting than this, reading is slower than speech. */
const usualWaitingSeconds = 8;
/** It is said again after this time. */
const behindEveryMs = 30_000;
/** A sentence that is longer is not waited for. */
const longestSentenceSeconds = 20;
/** The language is found out over this much speech; from then on it is that one. */
const languageSeconds = 20;

interface Waiting extends SpeechSegment {
  /** null: nothing is left to read. */
  readonly path: string | null;
  /** It goes on. */
  readonly isDraft: boolean;
}

const secondsOf = ({ fromStep, toStep }: SpeechSegment): number => (toStep - fromStep) * secondsPerStep;

/** Stretches of speech between the one who finds them and the one who reads them. */
class Queue {
  private readonly segments: Waiting[] = [];
  private draft: Waiting | null = null;
  private waits = false;
  private ended: { readonly error: unknown } | 'well' | null = null;
  private wake = (): void => undefined;
  private makeRoom = (): void => undefined;

  get seconds(): number {
    return this.segments.reduce((sum, segment) => sum + secondsOf(segment), 0);
  }

  /** Waits while too much waits already. */
  async push(segment: Waiting): Promise<void> {
    this.segments.push(segment);
    this.wake();
    while (this.seconds > mostWaitingSeconds && this.ended === null)
      await new Promise<void>((resolve) => (this.makeRoom = resolve));
  }

  /** Does the reader have nothing to do? */
  get isIdle(): boolean {
    return this.waits && this.segments.length === 0 && this.draft === null;
  }

  /** An unfinished stretch, for an idle reader. */
  offer(draft: Waiting): void {
    this.draft = draft;
    this.wake();
  }

  end(how: { readonly error: unknown } | 'well'): void {
    this.ended ??= how;
    this.wake();
    this.makeRoom();
  }

  async next(): Promise<Waiting | null> {
    for (;;) {
      if (this.ended !== null && this.ended !== 'well') throw this.ended.error;
      const segment = this.segments.shift();
      this.makeRoom();
      if (segment !== undefined) return segment;
      const { draft } = this;
      this.draft = null;
      if (draft !== null) return draft;
      if (this.ended === 'well') return null;
      this.waits = true;
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.waits = false;
    }
  }
}

/** Loads the networks before the first voice: soft noise is searched for whispers. */
async function warmUp(options: LiveOptions, settings: Omit<TranscribeOptions, 'pass'>): Promise<void> {
  const path = join(options.folder, 'warm-up.f32');
  await writeFile(
    path,
    Buffer.from(Float32Array.from({ length: speechRate }, (_, at) => 0.01 * Math.sin(at * at)).buffer),
  );
  const sound = openSpeech(path);
  try {
    await transcribe(sound, { ...settings, pass: () => () => undefined });
  } finally {
    sound.close();
    await rm(path, { force: true });
  }
}

/** State shared by the speech detector and the reader. */
interface Stream {
  readonly queue: Queue;
  readonly segmenter: Segmenter;
  readonly startedAt: number;
  /** Is the language known? */
  isLanguageKnown(): boolean;
  /** Time from which a draft may be read, ms of `performance.now`. */
  restUntil: number;
}

/** Decides when the unfinished stretch should be read. */
function createDraftClock(stream: Stream): { due(): SpeechSegment | null } {
  const { queue, segmenter, startedAt } = stream;
  let lastStep = 0;
  return {
    due() {
      const now = performance.now();
      const { current } = segmenter;
      if (current === null || !queue.isIdle || !stream.isLanguageKnown() || now < stream.restUntil) return null;
      const { fromStep, toStep, pauseSteps } = current;
      const seconds = (steps: number): number => steps * secondsPerStep;
      if (seconds(toStep - fromStep) < leastDraftSeconds || seconds(pauseSteps) > mostPauseSeconds) return null;
      if (seconds(toStep - lastStep) < draftEverySeconds) return null;
      // A piped recording arrives faster than real time and gets no early readings.
      if (seconds(toStep) > (now - startedAt) / 1000 + 1) return null;
      lastStep = toStep;
      return { fromStep, toStep, ended: false };
    },
  };
}

/** Reads the stream to its end and puts its speech into files. */
async function findSpeech(sound: LiveSound, voice: LiveVoice, stream: Stream, options: LiveOptions): Promise<void> {
  const { queue, segmenter } = stream;
  const clock = createDraftClock(stream);
  /** The sound of steps from `first` on. */
  let steps: Float32Array[] = [];
  let [first, files] = [0, 0];
  const write = async (segment: SpeechSegment): Promise<string> => {
    const path = join(options.folder, `${(files += 1)}.f32`);
    const parts = steps.slice(segment.fromStep - first, segment.toStep - first);
    await writeFile(path, Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer))));
    return path;
  };
  const put = async (segment: SpeechSegment | null): Promise<void> => {
    if (segment === null) return;
    const path = segment.fromStep === segment.toStep ? null : await write(segment);
    await queue.push({ ...segment, path, isDraft: false });
  };
  for (;;) {
    const samples = await sound.next();
    throwIfAborted(options.signal);
    if (samples === null) break;
    for (const heard of await voice.hear(samples)) {
      steps.push(heard.samples);
      await put(segmenter.push(heard.probability));
      if (segmenter.neededFrom <= first) continue;
      steps = steps.slice(segmenter.neededFrom - first);
      first = segmenter.neededFrom;
    }
    const draft = options.early === false ? null : clock.due();
    if (draft !== null) queue.offer({ ...draft, path: await write(draft), isDraft: true });
  }
  await put(segmenter.finish());
}

/** Is the language known? If not, which one has most of the speech so far? */
function createLanguageVotes(given: string | undefined): {
  language: string | undefined;
  add(code: string, seconds: number): void;
} {
  const votes = new Map<string, number>();
  return {
    language: given,
    add(code, seconds) {
      if (this.language !== undefined) return;
      votes.set(code, (votes.get(code) ?? 0) + seconds);
      const all = [...votes.values()].reduce((sum, one) => sum + one, 0);
      if (all >= languageSeconds) [this.language] = [...votes].toSorted((a, b) => b[1] - a[1])[0] ?? [];
    },
  };
}

const later = <Timed extends { readonly startSeconds: number; readonly endSeconds: number }>(
  timed: Timed,
  seconds: number,
): Timed => ({ ...timed, startSeconds: timed.startSeconds + seconds, endSeconds: timed.endSeconds + seconds });

/** Sentences that go on over several stretches, within bounds. */
function createJoiner(): {
  /** @param language null: the one before */
  add(words: readonly TranscriptWord[], language: string | null, ended: boolean): TranscriptSentence[];
} {
  let splitter: SentenceSplitter | null = null;
  let spoken = '';
  let held: readonly TranscriptWord[] = [];
  return {
    add(words, code, ended) {
      if (code === null && splitter === null) return [];
      const language = code ?? spoken;
      const before = splitter !== null && spoken !== language ? splitter.finish() : [];
      if (splitter === null || spoken !== language) [splitter, held] = [sentenceSplitter(language), []];
      spoken = language;
      const finished = splitter.push(words);
      const told = finished.reduce((sum, sentence) => sum + sentence.words.length, 0);
      held = [...held, ...words].slice(told);
      const isWhole = words.length > 0 && hasSentenceMark(words.at(-1)?.text ?? '');
      const since = (words.at(-1)?.endSeconds ?? 0) - (held[0]?.startSeconds ?? 0);
      if (!ended && !isWhole && since < longestSentenceSeconds) return [...before, ...finished];
      held = [];
      const rest = splitter.finish();
      splitter = null;
      return [...before, ...finished, ...rest];
    },
  };
}

/**
 * Transcribes sound as it arrives. A sentence comes some two seconds after the pause behind it begins, or
 * after the next one has begun; without `early` speech without pauses is divided after 8 to 12 s. Memory does not grow:
 * at most a minute of speech waits, then the stream does.
 * @throws EarshotError as `transcribe`, and whatever the stream throws; AbortError
 */
export async function* liveSentences(
  sound: LiveSound,
  options: LiveOptions,
): AsyncGenerator<TranscriptSentence, void, void> {
  const { folder: _, onBehind, ...given } = options;
  const settings = { ...given, speakerLabels: false };
  const queue = new Queue();
  const network = await loadVoiceNetwork(options.modelsDir);
  const voice = openLiveVoice(network);
  const startedAt = performance.now();
  const votes = createLanguageVotes(options.language);
  const segmenter = createSegmenter(secondsPerStep);
  const stream: Stream = {
    queue,
    segmenter,
    startedAt,
    isLanguageKnown: () => votes.language !== undefined,
    restUntil: 0,
  };
  const finding = findSpeech(sound, voice, stream, options).then(
    () => queue.end('well'),
    (error: unknown) => queue.end({ error }),
  );
  const joiner = createJoiner();
  let saidAt = -Infinity;
  const tellBehind = (segment: SpeechSegment): void => {
    const now = performance.now();
    const behind = (now - startedAt) / 1000 - segment.toStep * secondsPerStep;
    if (queue.seconds < usualWaitingSeconds || behind < usualWaitingSeconds || now - saidAt < behindEveryMs) return;
    saidAt = now;
    onBehind?.(behind);
  };
  const readStretch = async (path: string): ReturnType<typeof transcribe> => {
    const speech = openSpeech(path);
    try {
      return await transcribe(speech, { ...settings, language: votes.language, pass: () => () => undefined });
    } finally {
      speech.close();
      await rm(path, { force: true });
    }
  };
  /** What is said until here was told by readings of unfinished stretches, which are read again with what follows. */
  let toldSeconds = 0;
  try {
    await warmUp(options, settings);
    for (;;) {
      const segment = await queue.next();
      if (segment === null) return;
      const { path, fromStep, toStep, ended, isDraft } = segment;
      if (path === null) {
        yield* joiner.add([], null, true);
        continue;
      }
      const began = performance.now();
      const { transcript, spoken } = await readStretch(path);
      const now = performance.now();
      stream.restUntil = now + draftRest * (now - began);
      if (!isDraft && transcript.sentences.length > 0) votes.add(spoken, secondsOf(segment));
      const untold = transcript.sentences.map((sentence) =>
        sentence.words
          .map((word) => later(word, fromStep * secondsPerStep))
          .filter(({ startSeconds, endSeconds }) => startSeconds + endSeconds > 2 * toldSeconds),
      );
      const words = untold.flat();
      if (!isDraft) yield* joiner.add(words, transcript.language, ended);
      else {
        const final = finalWords(untold, toStep * secondsPerStep);
        toldSeconds = final?.endSeconds ?? toldSeconds;
        if (final !== null) yield* joiner.add(words.slice(0, final.count), transcript.language, false);
      }
      if (!isDraft) tellBehind(segment);
    }
  } finally {
    queue.end('well');
    sound.stop();
    await finding;
    await network.close();
  }
}
