// How long outputs are kept.
import { expect, it } from 'vitest';
import { keptSeconds } from '../../../../src/service/rules/worker/outputs.ts';

it.each([
  { owner: 'acc_1', inputs: [86_400], kept: 86_400 },
  { owner: 'acc_1', inputs: [86_400, 3600], kept: 3600 },
  { owner: 'acc_1', inputs: [172_800], kept: 86_400 },
  { owner: null, inputs: [86_400], kept: 3600 },
  { owner: 'acc_1', inputs: [], kept: 86_400 },
])(
  'outputs are kept as the setting says, but no longer than the inputs were to be: $kept',
  ({ owner, inputs, kept }) => {
    const createdAt = new Date(1_000_000);
    const files = inputs.map((seconds) => ({ createdAt, expiresAt: new Date(createdAt.getTime() + seconds * 1000) }));
    const config = { retentionSeconds: 86_400, freeRetentionSeconds: 3600 };
    expect(keptSeconds({ accountId: owner }, files, config)).toBe(kept);
  },
);
