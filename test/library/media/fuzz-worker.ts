// Child process of fuzz.test.ts: reads damaged files and says what came of each, one line of JSON per step.
import { noFinishedParts } from '../../../src/library/core/progress/finished-parts.ts';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { inputFile } from '../../fixtures/media/input-files.ts';
import { analyzeAudio } from '../../../src/library/tools/analyze_audio/tool.ts';

export interface FuzzReport {
  readonly path: string;
  /** Absent: the work on this file begins. */
  readonly outcome?: string;
  readonly message?: string;
  readonly residentMb?: number;
}

const outcomeOf = (error: unknown): { outcome: string; message: string } =>
  error instanceof EarshotError
    ? { outcome: error.code, message: error.message }
    : { outcome: 'not an EarshotError', message: String(error) };

async function read(path: string): Promise<{ outcome: string; message?: string }> {
  try {
    await probe(path);
    const source = openAudio(probe(path));
    let frames = 0;
    try {
      for (let block = source.next(); block; block = source.next()) {
        frames += block.frames;
        if (
          block.planes.length !== source.format.channels ||
          block.planes.some((plane) => plane.length !== block.frames)
        )
          return { outcome: 'broken block' };
        // A file of two seconds must not become hours of sound.
        if (frames > source.format.sampleRate * 600) return { outcome: 'endless sound' };
      }
    } finally {
      source.close();
    }
    const warnings: string[] = [];
    const { run } = await analyzeAudio.run();
    await run({
      inputs: { file_id: inputFile(path) },
      options: analyzeAudio.parseOptions({}),
      workDir: '/nonexistent',
      signal: new AbortController().signal,
      parallelism: 1,
      modelsDir: undefined,
      progress: () => undefined,
      pass: () => () => undefined,
      warn: (warning) => void warnings.push(warning.code),
      partial: () => undefined,
      finished: noFinishedParts,
      fanOut: { lanes: () => 1, clearThreads: () => Promise.resolve(), map: () => Promise.reject(new Error('none')) },
    });
    return { outcome: warnings.length > 0 ? 'ok with warnings' : 'ok' };
  } catch (error) {
    return outcomeOf(error);
  }
}

const say = (report: FuzzReport): boolean => process.stdout.write(`${JSON.stringify(report)}\n`);

for (const path of process.argv.slice(2)) {
  say({ path });
  const done = await read(path);
  say({ path, ...done, residentMb: process.memoryUsage.rss() / 2 ** 20 });
}
