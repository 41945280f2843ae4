// Makes a voice print of a recording of one person.
import type { JsonObject } from '../../../core/json.ts';
import type { TimeRange } from '../../../core/time-range.ts';
import { probe } from '../../../media/read/probe.ts';
import { extractSpeech } from '../../../speech/speech-sound.ts';
import { makeVoicePrint } from '../../../speech/voices/voice-print.ts';
import type { RunContext, RunResult } from '../../../tools/declare/run.ts';
import type { taskInputs } from '../task-context.ts';

/** Where the person speaks; default: the whole recording. */
interface PrintTaskOptions {
  readonly ranges?: readonly TimeRange[];
  /** See `PrintOptions`. */
  readonly leastSeconds?: number;
}

export async function run(context: RunContext<PrintTaskOptions, typeof taskInputs>): Promise<RunResult> {
  const { inputs, workDir, signal, options, pass } = context;
  const sound = await extractSpeech(probe(inputs.file.path), workDir, {
    signal,
    onProgress: pass('reading', ['comparing voices']),
    warn: (warning) => context.warn(warning),
  });
  try {
    const print = await makeVoicePrint(sound, {
      ...context,
      ...options,
      onProgress: pass('comparing voices'),
    });
    return { outputs: [], result: { print } as unknown as JsonObject, processedSeconds: sound.durationSeconds };
  } finally {
    sound.close();
  }
}
