import { EarshotError } from '../core/errors.ts';
import type { ToolId } from '../contract/tool-ids.ts';
import { shownName, whatWasMeant } from '../core/names.ts';
import { adjustLoudness } from './adjust_loudness/tool.ts';
import { alignScript } from './align_script/tool.ts';
import { analyzeAudio } from './analyze_audio/tool.ts';
import { convertAudio } from './convert_audio/tool.ts';
import { cutAudio } from './cut_audio/tool.ts';
import type { AnyTool } from './declare/define.ts';
import { enhanceVoice } from './enhance_voice/tool.ts';
import { joinAudio } from './join_audio/tool.ts';
import { levelSpeakers } from './level_speakers/tool.ts';
import { mixTracks } from './mix_tracks/tool.ts';
import { removeFillers } from './remove_fillers/tool.ts';
import { removeNoise } from './remove_noise/tool.ts';
import { removeSilence } from './remove_silence/tool.ts';
import { replaceAudio } from './replace_audio/tool.ts';
import type { ToolResultById } from './results.ts';
import { transcribeAudio } from './transcribe_audio/tool.ts';

/** Each tool's work answers what is written down of it. */
type Answering = {
  readonly [Id in ToolId]: {
    run(): Promise<{ run(context: never): Promise<{ readonly result: ToolResultById[Id] }> }>;
  };
};

const declared = {
  analyze_audio: analyzeAudio,
  adjust_loudness: adjustLoudness,
  convert_audio: convertAudio,
  cut_audio: cutAudio,
  remove_silence: removeSilence,
  join_audio: joinAudio,
  replace_audio: replaceAudio,
  level_speakers: levelSpeakers,
  mix_tracks: mixTracks,
  remove_noise: removeNoise,
  enhance_voice: enhanceVoice,
  transcribe_audio: transcribeAudio,
  align_script: alignScript,
  remove_fillers: removeFillers,
} satisfies Answering;

/** Every tool of this build, in the order in which people see them. */
export const tools: readonly AnyTool[] = Object.values(declared);

/** The tool of a public id or a slug, or undefined. */
export function findTool<Tool extends { readonly id: string; readonly slug: string } = AnyTool>(
  idOrSlug: string,
  among: readonly Tool[] = tools as readonly object[] as readonly Tool[],
): Tool | undefined {
  return among.find((tool) => tool.id === idOrSlug || tool.slug === idOrSlug);
}

/** @throws EarshotError bad_request naming the tools there are */
export function requireTool<Tool extends { readonly id: string; readonly slug: string } = AnyTool>(
  idOrSlug: string,
  among: readonly Tool[] = tools as readonly object[] as readonly Tool[],
): Tool {
  const tool = findTool(idOrSlug, among);
  if (tool) return tool;
  const ids = among.map(({ id }) => id);
  const meant = whatWasMeant(idOrSlug, [...ids, ...among.map(({ slug }) => slug)], ids);
  const shown = shownName(idOrSlug);
  throw new EarshotError('bad_request', `Unknown tool ${shown}; ${meant}`, {
    details: { field: 'tool', expected: ids.join(', '), received: shown },
  });
}
