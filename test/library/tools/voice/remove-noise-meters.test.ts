// @module-tag slow
// Every meter that remove_noise opens hears the end of the sound and is closed. Once the one of the volume pass was
// not.
import { expect, it, vi } from 'vitest';
import type * as meters from '../../../../src/library/dsp/loudness/loudness-meter.ts';
import { removeNoise } from '../../../../src/library/tools/remove_noise/tool.ts';
import { scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { voice } from '../../../fixtures/media/signals.ts';

const opened = vi.hoisted((): string[][] => []);

vi.mock('../../../../src/library/dsp/loudness/loudness-meter.ts', async (importOriginal) => {
  const original = await importOriginal<typeof meters>();
  const meterLoudness: typeof original.meterLoudness = () => {
    const meter = original.meterLoudness();
    const calls: string[] = [];
    return {
      ...meter,
      open(format) {
        opened.push(calls);
        return meter.open(format);
      },
      flush(emit) {
        calls.push('flush');
        meter.flush(emit);
      },
      close() {
        calls.push('close');
        meter.close();
      },
      result() {
        calls.push('result');
        return meter.result();
      },
    };
  };
  return { ...original, meterLoudness };
});

const at = scratch();

it('with the volume set, each meter is flushed before it is asked, and closed', async () => {
  const path = writeWav(at('voice.wav'), [voice(32_000, 16_000)], 16_000);
  await runTool(removeNoise, path, { auto_volume: true }, at('work-'), undefined, at('no-models'));
  // The recording, the clean sound, the output, and whatever was tried out.
  expect(opened.length).toBeGreaterThanOrEqual(3);
  for (const calls of opened) {
    expect(calls.filter((call) => call !== 'result').toSorted()).toEqual(['close', 'flush']);
    expect(calls.indexOf('flush')).toBeLessThan(calls.indexOf('result'));
  }
});
