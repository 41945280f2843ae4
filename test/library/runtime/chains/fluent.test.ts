// Chains written as calls: they are the same data, and the compiler knows each tool's options.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine, runChain } from '../../../../src/index.ts';
import { toolIds } from '../../../../src/library/contract/tool-ids.ts';
import { planChain } from '../../../../src/library/runtime/chains/chain.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-fluent-');
const at = (name: string): string => join(folder, name);
const talk = writeWav(at('talk.wav'), [voice(8 * 16_000, 16_000, 4, 0.05)], 16_000);
const engine = createEngine({ tempDir: folder });
afterAll(() => engine.close());

it('is the chain that its calls say, each call a new one', () => {
  const begun = engine.chain(talk).removeSilence({ min_pause_seconds: 1 }, { name: 'shorter', keep: true });
  const chain = begun.adjustLoudness().transcribeAudio({ language: 'de' }, { input: 'shorter', formats: ['srt'] });
  expect(JSON.parse(JSON.stringify(chain))).toEqual({
    steps: [
      { tool: 'remove_silence', name: 'shorter', keep: true, options: { min_pause_seconds: 1 } },
      { tool: 'adjust_loudness' },
      { tool: 'transcribe_audio', input: 'shorter', formats: ['srt'], options: { language: 'de' } },
    ],
  });
  expect(begun.toJSON().steps).toHaveLength(1);
  expect(() => planChain(chain.toJSON())).not.toThrow();
});

it('has a method for every tool, with the options of its declaration alone', async () => {
  const chain = engine.chain(talk);
  // Nothing of a promise: an awaited chain is a chain.
  expect(Object.keys(chain)).toHaveLength(toolIds.length + 2);
  expect(await chain).toHaveProperty('mixTracks');
  // @ts-expect-error there is no such target
  chain.adjustLoudness({ target: 'loud' });
  void engine.chain('talk.wav').cutAudio({ ranges: [[0, 1]] });
  void engine.chain('talk.wav', 'edited.txt').cutAudio({}, { input: 'files' });
  // @ts-expect-error no ranges, and no files besides
  void engine.chain('talk.wav').cutAudio();
  // @ts-expect-error there is no such option
  chain.cutAudio({ range: [] });
  // @ts-expect-error no file
  engine.chain();
  await expect(engine.chain(talk).run()).rejects.toMatchObject({ code: 'bad_request' });
});

it('makes what runChain makes', slow, async () => {
  const written = engine.chain(talk).removeSilence({ min_pause_seconds: 0.5 }).adjustLoudness({ target: 'streaming' });
  const { steps } = await written.run({ output: at('fluent.wav') });
  expect(steps.map(({ name }) => name)).toEqual(['remove-silence', 'loudness']);
  await runChain(engine, written.toJSON(), [talk], { output: at('plain.wav') });
  expect(readFileSync(at('fluent.wav')).equals(readFileSync(at('plain.wav')))).toBe(true);
});
