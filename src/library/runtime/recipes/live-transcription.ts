import type { LiveSentence, TranscribeAudioOptions } from '../../tools/option-types.ts';
import type { Engine, RunOptions, ToolRun } from '../engine/engine-types.ts';
import type { RunInputs } from '../files/inputs.ts';

/** A transcription in progress: its sentences as they are finished, and its end. */
export interface LiveTranscription extends AsyncIterable<LiveSentence> {
  /**
   * The run with its files, once everything is written. Rejects as `Engine.run` does; callers that only read the
   * sentences may ignore it, because reading ends with the same error.
   */
  readonly done: Promise<ToolRun<'transcribe_audio'>>;
}

/**
 * Transcribes a recording and yields each sentence as soon as it is finished, in order of time, exactly as the
 * transcript will hold it. With speaker labels the first one comes once speakers are told apart; without them within
 * seconds. Sentences are buffered until read, and can be read once. Leaving the loop early ends the run.
 *
 * @param engine runs it
 * @param input path of the recording
 * @param options as of transcribe_audio; default: its defaults
 * @param control as of `Engine.run`
 * @throws EarshotError and AbortError as `Engine.run`, from the loop and from `done`
 * @example
 *   const live = transcribeLive(engine, 'talk.wav', { speaker_labels: false });
 *   for await (const { startSeconds, text } of live) console.log(startSeconds, text);
 *   const { outputs } = await live.done;
 */
export function transcribeLive(
  engine: Engine,
  input: RunInputs,
  options?: TranscribeAudioOptions,
  control: Omit<RunOptions, 'onPartial'> = {},
): LiveTranscription {
  const waiting: LiveSentence[] = [];
  const left = new AbortController();
  let ended: { readonly error: unknown } | 'well' | null = null;
  let wake = (): void => undefined;
  const done = engine.run('transcribe_audio', input, options, {
    ...control,
    signal: control.signal ? AbortSignal.any([control.signal, left.signal]) : left.signal,
    onPartial: (part) => {
      waiting.push(...((part['sentences'] ?? []) as unknown as LiveSentence[]));
      wake();
    },
  });
  const end = (how: typeof ended): void => {
    ended = how;
    wake();
  };
  done.then(
    () => end('well'),
    (error: unknown) => end({ error }),
  );
  async function* sentences(): AsyncGenerator<LiveSentence, void, void> {
    try {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended === 'well') return;
        else if (ended !== null) throw ended.error;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      left.abort();
    }
  }
  const reading = sentences();
  return { done, [Symbol.asyncIterator]: () => reading };
}
