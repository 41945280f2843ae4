// Made by scripts/write-lists.ts from the tools: `npm run types:write`.

/** The tools of the service interface: public id -> slug (the free API's path segment and the CLI's command). */
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
  check_audio: 'check',
  align_recordings: 'sync',
  burn_captions: 'burn-captions',
  redact_audio: 'redact',
  change_speed: 'speed',
  label_audio: 'label',
} as const;
