import { describe, expect, it } from 'vitest';
import { channelTurns } from '../../../../src/library/speech/speakers/channel-turns.ts';
import { scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { noise } from '../../../fixtures/media/signals.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

const path = scratch();
const rate = 8000;
const options = { signal: new AbortController().signal, onProgress: () => undefined };

/**
 * Two microphones: each hears its own person, and the other one 8 dB softer. Who speaks in each second: 0 is no one.
 */
function call(name: string, speakers: readonly number[]): string {
  const voice = noise(speakers.length * rate, 3, 0.3);
  const room = [noise(voice.length, 4, 0.0003), noise(voice.length, 5, 0.0003)];
  const planes = room.map((plane, channel) =>
    plane.map((sample, frame) => {
      const who = speakers[Math.floor(frame / rate)] ?? 0;
      return sample + (who === 0 ? 0 : (voice[frame] as number) * (who === channel + 1 ? 1 : 0.4));
    }),
  );
  return writeWav(path(name), planes, rate);
}

describe('speakers by their channels', () => {
  it('are told by the louder channel; silence is of no one', async () => {
    const { turns, warnings } = await channelTurns(probe(call('call.wav', [1, 1, 2, 0, 0, 1, 2])), options);
    expect(warnings).toEqual([]);
    const found = turns.map(({ speaker, startSeconds, endSeconds }) => [speaker, startSeconds, endSeconds]);
    const wanted = [
      [1, 0, 2],
      [2, 2, 3],
      [1, 5, 6],
      [2, 6, 7],
    ];
    expect(found.length).toBe(wanted.length);
    for (const [index, turn] of wanted.entries())
      for (const [at, value] of turn.entries()) expect(Math.abs((found[index]?.[at] ?? -1) - value)).toBeLessThan(0.03);
  });

  it('need channels that differ', async () => {
    const voice = noise(2 * rate, 3, 0.3);
    const both = await channelTurns(probe(writeWav(path('same.wav'), [voice, voice], rate)), options);
    expect(both.turns).toEqual([]);
    expect(both.warnings).toMatchObject([{ code: 'channels_alike' }]);
    const mono = writeWav(path('mono.wav'), [voice], rate);
    expect(await thrownBy(() => channelTurns(probe(mono), options))).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('one channel') as string,
    });
  });
});
