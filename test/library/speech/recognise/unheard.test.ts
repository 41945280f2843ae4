import { expect, it } from 'vitest';
import type { WhisperNetwork } from '../../../../src/library/speech/recognise/whisper/network.ts';
import { unheard } from '../../../../src/library/speech/recognise/whisper/unheard.ts';

it('a network that fails once is asked again', async () => {
  let asked = 0;
  const network = {
    layout: { bands: 2, frames: 4 },
    encode: () => {
      asked += 1;
      return Promise.reject(new Error(`no memory, time ${asked}`));
    },
  } as unknown as WhisperNetwork;
  await expect(unheard(network, [1])).rejects.toThrow('time 1');
  await expect(unheard(network, [1])).rejects.toThrow('time 2');
});
