// Orders of passages over real job processes, as a service gives them.
import { describe, expect, it } from 'vitest';
import { resultFault } from '../../../../src/service/serve/runner-answers.ts';
import { readAll } from '../../../fixtures/media/media.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { useMediaWork } from '../media-host.ts';

const { run } = useMediaWork();

const secondsOf = (file: string | undefined): number => {
  const { frames, format } = readAll(file ?? '');
  return frames / format.sampleRate;
};

describe('a run on a passage', () => {
  it('makes it as it was and as it becomes, equally loud, as an order from outside has it', slow, async () => {
    const { outputs, result } = await run(
      'remove_silence',
      { file_id: [['object-without-extension', 'Talk.wav']] },
      { min_pause_seconds: 0.5, preview_from: 1 },
    );
    expect(outputs.map(({ filename, format, hasAudio }) => [filename, format, hasAudio])).toEqual([
      ['Talk.before.remove-silence.flac', 'flac', true],
      ['Talk.after.remove-silence.flac', 'flac', true],
    ]);
    expect(result).toMatchObject({ preview: { fromSeconds: 1, mayDiffer: [] } });
    expect(resultFault('remove_silence', result)).toBeNull();
    expect(resultFault('remove_silence', { ...result, preview: { fromSeconds: 'a' } })).not.toBeNull();
    expect(resultFault('remove_silence', { ...result, other: 1 })).not.toBeNull();
    const { before } = (result as { preview: { before: { seconds: number } } }).preview;
    expect(secondsOf(outputs[0]?.path)).toBeCloseTo(before.seconds, 2);
  });
});
