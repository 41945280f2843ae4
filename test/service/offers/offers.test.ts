import { describe, expect, it } from 'vitest';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import { offeredTools as tools } from '../../../src/service/offers/offers.ts';

/** What customers pay; a change here is a change of the price list. */
const creditsPerMinute: Readonly<Record<ToolId, number>> = {
  adjust_loudness: 1,
  align_recordings: 1,
  align_script: 1,
  analyze_audio: 1,
  burn_captions: 1,
  change_speed: 1,
  check_audio: 1,
  convert_audio: 1,
  cut_audio: 1,
  enhance_voice: 2,
  join_audio: 1,
  label_audio: 1,
  level_speakers: 1,
  mix_tracks: 1,
  redact_audio: 3,
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

  it('are of one input, or of all', () => {
    const billed = Object.fromEntries(tools.map(({ id, billing }) => [id, billing]));
    expect(billed).toMatchObject({
      align_recordings: 'sum',
      join_audio: 'sum',
      level_speakers: 'sum',
      mix_tracks: 'longest',
      replace_audio: 'main',
      analyze_audio: 'main',
      align_script: 'main',
    });
  });

  it('leave free what the interface says', () => {
    const minute = { seconds: 60, dailyUses: 3 };
    const two = { seconds: 120, dailyUses: 3 };
    const three = { seconds: 180, dailyUses: 3 };
    const hour = { seconds: 3600, dailyUses: 10 };
    const whole = { seconds: null, dailyUses: 20 };
    const table: Readonly<Record<string, readonly [object, object]>> = {
      remove_noise: [minute, minute],
      enhance_voice: [minute, minute],
      transcribe_audio: [two, two],
      align_recordings: [three, three],
      align_script: [two, two],
      burn_captions: [two, two],
      cut_audio: [three, hour],
      remove_silence: [three, hour],
      adjust_loudness: [three, hour],
      convert_audio: [three, hour],
      change_speed: [three, hour],
      label_audio: [three, hour],
      join_audio: [three, hour],
      replace_audio: [three, hour],
      analyze_audio: [whole, whole],
      check_audio: [whole, whole],
      redact_audio: [two, two],
      remove_fillers: [two, two],
      level_speakers: [three, three],
      mix_tracks: [three, three],
    };
    for (const { id, free } of tools) expect([free.a, free.b], id).toEqual(table[id]);
  });
});
