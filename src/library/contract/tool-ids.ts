/**
 * The tools of the service interface: public id -> slug (the free API's path segment and the CLI's command).
 */
export const toolSlugs = {
  remove_noise: 'remove-noise',
  enhance_voice: 'enhance-voice',
  transcribe_audio: 'transcribe',
  align_script: 'align-script',
  cut_audio: 'cut',
  remove_silence: 'remove-silence',
  adjust_loudness: 'loudness',
  convert_audio: 'convert',
  join_audio: 'join',
  replace_audio: 'swap-audio',
  analyze_audio: 'media-info',
  remove_fillers: 'remove-fillers',
  level_speakers: 'level-speakers',
  mix_tracks: 'mix',
} as const;

/** Public id of a tool, as `run` and the service's /v1 interface take it: "remove_noise". */
export type ToolId = keyof typeof toolSlugs;
/** A tool's name in addresses and on the command line: "remove-noise". */
export type ToolSlug = (typeof toolSlugs)[ToolId];

/** What `Engine.run` takes for a tool: its public id or its slug. */
export type ToolName = ToolId | ToolSlug;

/** The public id that a name stands for. */
export type ToolIdOf<Name extends ToolName> = Name extends ToolId
  ? Name
  : { readonly [Id in ToolId]: (typeof toolSlugs)[Id] extends Name ? Id : never }[ToolId];

/** All public ids, in the order in which tools are listed. */
export const toolIds = Object.keys(toolSlugs) as readonly ToolId[];
