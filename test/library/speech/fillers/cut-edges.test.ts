import { expect, it } from 'vitest';
import { findCuts } from '../../../../src/library/speech/fillers/find-cuts.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { seeded } from '../../../fixtures/random.ts';
import { soundOf, speechOf, withNoise } from '../../../fixtures/spoken-sounds.ts';
import { textGridWords } from '../../../fixtures/text-grid.ts';

const corpus = await speechOf('acoustic_corpus.wav');
const samples = corpus.read(0, corpus.frames);
const grid = textGridWords(recording('acoustic_corpus.TextGrid'));

it('words that are said twice end near their times: in noise the n before is as soft as the room', async () => {
  // What whisper-base hears in it: "nothing else going on" as "nothing going on going on".
  const heard: SpokenWord[] = [
    { text: 'nothing', startSeconds: 3.94, endSeconds: 4.21 },
    { text: 'going', startSeconds: 4.21, endSeconds: 4.42 },
    { text: 'on', startSeconds: 4.42, endSeconds: 4.64 },
    { text: 'going', startSeconds: 4.64, endSeconds: 4.84 },
    { text: 'on.', startSeconds: 4.84, endSeconds: 5.06 },
  ];
  const nothing = grid.find(({ text }) => text === 'nothing')!;
  const again = grid.filter(({ text }) => text === 'going').at(-1)!;
  for (const seed of [110, 1, 2, 3]) {
    const sound = soundOf(withNoise(samples, 10, seeded(seed)));
    const [cut] = await findCuts(sound, heard, {
      language: 'en',
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    expect(cut).toMatchObject({ kind: 'repeat', text: 'going on' });
    expect(nothing.endSeconds - cut!.startSeconds, `"nothing", seed ${seed}`).toBeLessThan(0.03);
    expect(cut!.endSeconds - again.startSeconds, `"going", seed ${seed}`).toBeLessThan(0.05);
  }
});
