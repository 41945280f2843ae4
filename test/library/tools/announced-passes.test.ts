// @module-tag slow
// What a tool announces is what it does: without that no estimate holds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noFinishedParts } from '../../../src/library/core/progress/finished-parts.ts';
import { shapeInputs } from '../../../src/library/contract/tool-inputs.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import { resultFault } from '../../../src/service/serve/runner-answers.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';
import { inputFiles } from '../../fixtures/media/input-files.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { voice } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';

const rate = 16_000;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-passes-'));
  for (const [index, name] of ['a', 'b'].entries())
    writeWav(join(folder, `${name}.wav`), [voice(4 * rate, rate, index + 1)], rate);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Begun {
  readonly stage: string;
  readonly after: readonly string[];
  readonly maybe: readonly string[];
  last: number;
}

async function passesOf(id: ToolId, inputs: Record<string, readonly string[]>, given: object): Promise<Begun[]> {
  const tool = requireTool(id);
  const begun: Begun[] = [];
  const { signal } = new AbortController();
  const { run } = await tool.run();
  const { result } = await run({
    inputs: shapeInputs(tool.inputs, inputFiles(inputs)),
    options: tool.parseOptions(given),
    workDir: mkdtempSync(join(folder, 'run-')),
    signal,
    parallelism: 1,
    modelsDir: undefined,
    progress: () => expect.unreachable('a tool with passes says nothing of the whole'),
    pass(stage, after = [], maybe = []) {
      const pass: Begun = { stage, after, maybe, last: 0 };
      begun.push(pass);
      return (fraction) => {
        expect(fraction).toBeGreaterThanOrEqual(0);
        expect(fraction).toBeLessThanOrEqual(1.001);
        pass.last = fraction;
      };
    },
    warn: () => undefined,
    partial: () => undefined,
    finished: noFinishedParts,
    fanOut: runHere(signal),
  });
  // Runners' results are held against the same form: what a tool says must fit.
  expect(resultFault(id, JSON.parse(JSON.stringify(result)))).toBe(null);
  return begun;
}

const one = (name: string): Record<string, string[]> => ({ file_id: [join(folder, `${name}.wav`)] });

describe('passes are announced', () => {
  it.each<[ToolId, () => Record<string, readonly string[]>, object, readonly string[]]>([
    ['adjust_loudness', () => one('a'), {}, ['measuring', 'encoding', 'checking']],
    ['adjust_loudness', () => one('a'), { output_format: 'mp3' }, ['measuring', 'encoding', 'checking']],
    ['level_speakers', () => one('a'), {}, ['finding speech', 'encoding', 'checking']],
    [
      'level_speakers',
      () => ({ track_file_ids: ['a', 'b'].map((name) => join(folder, `${name}.wav`)) }),
      {},
      ['finding speech', 'encoding', 'checking'],
    ],
    [
      'mix_tracks',
      () => ({ tracks: ['a', 'b'].map((name) => join(folder, `${name}.wav`)) }),
      {},
      ['analysing', 'encoding', 'checking'],
    ],
    [
      'join_audio',
      () => ({ file_ids: ['a', 'b'].map((name) => join(folder, `${name}.wav`)) }),
      {},
      ['measuring', 'joining'],
    ],
    ['remove_noise', () => one('a'), {}, ['analysing', 'denoising', 'encoding', 'checking']],
    ['remove_noise', () => one('a'), { auto_volume: false }, ['analysing', 'denoising']],
    [
      'enhance_voice',
      () => ({ file_id: [recording('jfk.wav')] }),
      {},
      ['analysing', 'denoising', 'enhancing', 'encoding', 'checking'],
    ],
    ['remove_silence', () => one('a'), {}, ['listening', 'cutting']],
  ])('%s %j', async (id, inputs, given, certain) => {
    const begun = await passesOf(id, inputs(), given);
    const first = begun[0] as Begun;
    // All that is certain is known with the first pass, in its order, and each other one was said to be possible.
    expect([first.stage, ...first.after].filter((stage) => stage !== 'telling speakers apart')).toEqual(certain);
    for (const [index, { stage }] of begun.entries()) {
      if (index === 0) continue;
      const before = begun.slice(0, index);
      expect(before.some(({ after, maybe }) => after.includes(stage) || maybe.includes(stage))).toBe(true);
    }
    // What is announced comes, and every pass is heard to its end.
    for (const stage of certain) expect(begun.map((pass) => pass.stage)).toContain(stage);
    for (const { stage, last } of begun) expect([stage, last > 0.9]).toEqual([stage, true]);
    expect(begun.at(-1)?.after).toEqual([]);
  });
});
