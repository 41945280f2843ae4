// A transcription that was interrupted goes on where it was, with the words of a run from the start.
import { readFileSync } from 'node:fs';
import { expect, test, it } from 'vitest';
import { createEngine } from '../../../src/index.ts';
import type { FinishedPart } from '../../../src/library/core/progress/finished-parts.ts';
import { packageVersion } from '../../../src/library/core/start/package-version.ts';
import { handOver, keptParts } from '../../../src/library/runtime/engine/kept-parts.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { recording } from '../../fixtures/recordings.ts';
import { slower } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 16_000;

/** Longer than a window of the recogniser. */
function speech(): string {
  const said = readAll(recording('jfk.wav'), { rate, channels: 1 }).planes[0] as Float32Array;
  const whole = new Float32Array(3 * said.length);
  for (let at = 0; at < whole.length; at += said.length) whole.set(said, at);
  writeWav(path('speech.wav'), [whole], rate);
  return path('speech.wav');
}

it('an interrupted transcription goes on where it was', slower, async () => {
  const file = speech();
  const engine = createEngine({ cores: 1, concurrency: 1 });
  const options = { speaker_labels: false, language: 'en' };
  const texts = async (control: object): Promise<string[]> => {
    const { outputs } = await engine.run('transcribe_audio', file, options, control);
    return outputs.map((output) => readFileSync(output.path, 'utf8'));
  };
  try {
    const all: FinishedPart[] = [];
    const whole = await texts({ onFinishedPart: (part: FinishedPart) => all.push(part) });
    expect(all.length).toBeGreaterThan(1);

    const finished: FinishedPart[] = [];
    const stop = new AbortController();
    const interrupted = texts({
      signal: stop.signal,
      onFinishedPart: (part: FinishedPart) => {
        finished.push(part);
        stop.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ name: 'AbortError' });
    expect(finished).toEqual(all.slice(0, 1));

    // As a database keeps them.
    const kept = JSON.parse(JSON.stringify(finished)) as FinishedPart[];
    const later: FinishedPart[] = [];
    const control = { finishedParts: kept, onFinishedPart: (part: FinishedPart) => later.push(part) };
    expect(await texts(control)).toEqual(whole);
    expect(later).toEqual(all.slice(1));
  } finally {
    await engine.close();
  }
});

test('parts of another version are left out', () => {
  const handed: FinishedPart[] = [];
  handOver({ onFinishedPart: (part) => handed.push(part) })({ key: 'words 1', value: [1] });
  const [own] = handed as [FinishedPart];
  expect(own).toEqual({ key: `${packageVersion()} words 1`, value: [1] });
  const older = { ...own, key: '0.0.0 words 1' };
  expect(keptParts({ finishedParts: [older, own] })).toEqual([{ key: 'words 1', value: [1] }]);
  expect(keptParts({})).toBeNull();
});
