import { describe, expect, it } from 'vitest';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import { tools } from '../../../src/library/tools/registry.ts';

/** What customers pay; a change here is a change of the price list. */
const creditsPerMinute: Readonly<Record<ToolId, number>> = {
  adjust_loudness: 1,
  align_script: 1,
  analyze_audio: 1,
  convert_audio: 1,
  cut_audio: 1,
  enhance_voice: 2,
  join_audio: 1,
  level_speakers: 1,
  mix_tracks: 1,
  remove_fillers: 2,
  remove_noise: 1,
  remove_silence: 1,
  replace_audio: 1,
  transcribe_audio: 1,
};

describe('prices', () => {
  it('of every tool are those of the price list', () => {
    expect(Object.fromEntries(tools.map((tool) => [tool.id, tool.creditsPerMinute]))).toEqual(creditsPerMinute);
  });

  it('fall only where an input saves the work, and then to that much', () => {
    const reduced = tools.filter((tool) => tool.creditsPerMinuteWith !== undefined);
    expect(reduced.map((tool) => [tool.id, tool.creditsPerMinuteWith])).toEqual([
      ['remove_fillers', { transcript_file_id: 1 }],
    ]);
  });
});
