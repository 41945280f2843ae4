// The facts of made-up tools, one for each public id, as src/library/tools' declarations give them.
import { toolIds, type ToolId } from '../../../src/library/contract/tool-ids.ts';
import type { InputRole } from '../../../src/library/contract/tool-inputs.ts';
import type { OfferedFacts } from '../../../src/service/rules/tools/offer.ts';

export const mediaRole = (min = 1, max = 1): InputRole => ({
  kind: 'media',
  title: 'Recording',
  needs: 'audio',
  min,
  max,
  minGiven: Math.max(1, min),
  multiple: max > 1,
  extensions: [],
  maxBytes: null,
});
const textRole = (extensions: readonly string[], maxBytes: number | null = 2_097_152): InputRole => ({
  kind: 'text',
  title: 'Text',
  needs: 'any',
  min: 0,
  max: 1,
  minGiven: 1,
  multiple: false,
  extensions,
  maxBytes,
});

const special: Partial<Record<ToolId, Partial<OfferedFacts>>> = {
  join_audio: { billing: 'sum', inputs: { file_ids: mediaRole(2, 20) } },
  mix_tracks: { billing: 'longest', inputs: { tracks: mediaRole(2, 20) } },
  level_speakers: { billing: 'longest', inputs: { file_id: mediaRole(0, 1), track_file_ids: mediaRole(0, 10) } },
  replace_audio: { inputs: { video_file_id: mediaRole(), audio_file_id: mediaRole() } },
  burn_captions: { inputs: { file_id: mediaRole(), captions_file_id: textRole(['json', 'srt', 'vtt']) } },
  align_script: { inputs: { file_id: mediaRole(), script_file_id: textRole(['txt', 'srt', 'vtt']) } },
  redact_audio: {
    inputs: {
      file_id: mediaRole(),
      transcript_file_id: textRole(['json']),
      plan_file_id: textRole(['json']),
      captions_file_id: textRole(['srt', 'vtt']),
    },
  },
  remove_fillers: {
    creditsPerMinute: 2,
    creditsPerMinuteWith: { transcript_file_id: 1 },
    inputs: { file_id: mediaRole(), transcript_file_id: textRole(['json']) },
    listedIds: { cut_ids: { input: 'transcript_file_id', result: 'cuts' } },
  },
  analyze_audio: {
    alwaysFree: true,
    free: { a: { seconds: null, dailyUses: 20 }, b: { seconds: null, dailyUses: 20 } },
  },
};

/** @param changes by tool, on top of the usual facts */
export function fakeTools(changes: Partial<Record<ToolId, Partial<OfferedFacts>>> = {}): readonly OfferedFacts[] {
  return toolIds.map((id) => ({
    id,
    creditsPerMinute: 1,
    free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
    billing: 'main',
    alwaysFree: false,
    inputs: { file_id: mediaRole() },
    plan: () => ({ refusals: [] }),
    unavailable: () => Promise.resolve(null),
    ...special[id],
    ...changes[id],
  }));
}
