import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { expectOk } from '../../../src/library/media/ffmpeg/ffmpeg.ts';
import { thrownBy } from '../../fixtures/media/media.ts';

/** FFmpeg's own code for damaged data. */
const invalidData = -1_094_995_529;

it.each(['ENOSPC', 'EDQUOT', 'EFBIG'] as const)('%s while writing says to make room', async (name) => {
  expect(await thrownBy(() => expectOk(-constants.errno[name], 'Writing the output'))).toMatchObject({
    code: 'internal_error',
    retryable: true,
    nextAction: expect.stringContaining('Make room') as string,
  });
});

it.each([-constants.errno.EIO, invalidData])('other failures (%i) do not', async (code) => {
  expect((await thrownBy(() => expectOk(code, 'Writing the output'))).nextAction).not.toContain('room');
});
