// Made by scripts/write-lists.ts from the tools: `npm run types:write`.

import type { ToolWork } from './tool-facts.ts';
import type { ToolId } from './tool-ids.ts';

/** What a run of each tool costs and needs, for those who may not load the declarations. */
export const toolWork: Readonly<Record<ToolId, ToolWork>> = {
  adjust_loudness: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  align_recordings: { cpuPerSecond: 0.05, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  align_script: { cpuPerSecond: 1, memoryMib: 800, models: 'speech', encodesPictures: false, transcriptOf: 'input' },
  analyze_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  burn_captions: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: 'all', transcriptOf: null },
  change_speed: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  check_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'sound', encodesPictures: false, transcriptOf: null },
  convert_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  cut_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: true, transcriptOf: 'output' },
  enhance_voice: { cpuPerSecond: 0.3, memoryMib: 500, models: 'sound', encodesPictures: false, transcriptOf: null },
  join_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: true, transcriptOf: null },
  label_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  level_speakers: { cpuPerSecond: 0.3, memoryMib: 600, models: 'sound', encodesPictures: false, transcriptOf: null },
  mix_tracks: { cpuPerSecond: 0.1, memoryMib: null, models: 'sound', encodesPictures: false, transcriptOf: null },
  redact_audio: { cpuPerSecond: 2, memoryMib: 800, models: 'speech', encodesPictures: false, transcriptOf: 'output' },
  remove_fillers: { cpuPerSecond: 1, memoryMib: 800, models: 'speech', encodesPictures: true, transcriptOf: 'output' },
  remove_noise: { cpuPerSecond: 0.25, memoryMib: 500, models: 'sound', encodesPictures: false, transcriptOf: null },
  remove_silence: { cpuPerSecond: 0.1, memoryMib: null, models: 'sound', encodesPictures: true, transcriptOf: null },
  replace_audio: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  transcribe_audio: {
    cpuPerSecond: 1,
    memoryMib: 800,
    models: 'speech',
    encodesPictures: false,
    transcriptOf: 'input',
  },
};
