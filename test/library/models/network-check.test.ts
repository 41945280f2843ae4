import { describe, expect, it } from 'vitest';
import { networkBytes, tryNetworks } from '../../../src/cli/doctor/networks.ts';
import { mostDeviation, requireRight, type RunnableNetwork } from '../../../src/library/models/network-check.ts';
import { networkAnswers } from '../../../src/library/models/network-answers.ts';
import { createSession, type Tensor } from '../../../src/library/models/sessions.ts';
import { slow } from '../../fixtures/rounds.ts';

describe('what a processor makes of a network', () => {
  it('is what is stored, here', slow, async () => {
    const states = await tryNetworks();
    expect(states.map(({ name }) => name)).toEqual(Object.keys(networkAnswers));
    for (const { name, deviation, right } of states)
      expect([name, right, deviation !== null && deviation < mostDeviation / 20]).toEqual([name, true, true]);
  });

  it('is refused where a tenth of one output is wrong by its own size', async () => {
    const session = await createSession('silero-vad', await networkBytes('silero-vad'));
    const wrong: RunnableNetwork = {
      async run(feeds, wanted) {
        const outputs = await session.run(feeds, wanted);
        const { data, dims } = outputs['stateN'] as Tensor;
        const changed = data.map((value, index) => (index % 10 === 0 ? -value : value));
        return { ...outputs, stateN: { data: changed, dims } };
      },
    };
    await requireRight('silero-vad', session);
    await expect(requireRight('silero-vad', wrong)).rejects.toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringMatching(/^This processor computes silero-vad wrong/),
    });
    await session.close();
  });

  it('is not judged for networks without a stored answer, and wrong where it is no number', async () => {
    const broken: RunnableNetwork = {
      run: (_feeds, wanted) =>
        Promise.resolve(Object.fromEntries(wanted.map((name) => [name, { data: Float32Array.of(NaN, 1), dims: [2] }]))),
    };
    await requireRight('of somebody else', broken);
    await expect(requireRight('campplus', broken)).rejects.toMatchObject({ code: 'tool_unavailable' });
  });
});
