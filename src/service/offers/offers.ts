// What the service asks for its tools, and what of them is free. The operator may set other prices.
import type { ToolId } from '../../library/contract/tool-ids.ts';
import { tools } from '../../library/tools/registry.ts';
import type { FreeAllowance, Offer } from '../rules/tools/offer.ts';
import { interfaceTool } from './interface-tool.ts';

/** Of a tool that is not named below. */
const usual: Offer = {
  creditsPerMinute: 1,
  billing: 'main',
  alwaysFree: false,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
};

const alike = (seconds: number | null, dailyUses = 3): { readonly a: FreeAllowance; readonly b: FreeAllowance } => ({
  a: { seconds, dailyUses },
  b: { seconds, dailyUses },
});

const special: Readonly<Partial<Record<ToolId, Partial<Offer>>>> = {
  remove_noise: { free: alike(60) },
  enhance_voice: { creditsPerMinute: 2, free: alike(60) },
  transcribe_audio: { free: alike(120) },
  align_recordings: { billing: 'sum', free: alike(180) },
  align_script: { free: alike(120) },
  remove_fillers: { creditsPerMinute: 2, creditsPerMinuteWith: { transcript_file_id: 1 }, free: alike(120) },
  redact_audio: { creditsPerMinute: 3, free: alike(120) },
  level_speakers: { billing: 'sum', free: alike(180) },
  mix_tracks: { billing: 'longest', free: alike(180) },
  join_audio: { billing: 'sum' },
  burn_captions: { free: alike(120) },
  analyze_audio: { alwaysFree: true, free: alike(null, 20) },
  check_audio: { alwaysFree: true, free: alike(null, 20) },
};

/** A tool as the interface shows it, and for what it costs. */
export type OfferedTool = ReturnType<typeof interfaceTool> & Offer;

/** What the tool costs by default, and what of it is free. */
export const offerOf = (id: ToolId): Offer => ({ ...usual, ...special[id] });

/** Every tool of this build in display order, as the interface shows it and for what it costs. */
export const offeredTools: readonly OfferedTool[] = tools.map((tool) => ({
  ...interfaceTool(tool),
  ...offerOf(tool.id),
}));
