// Every tool at its defaults: inputs, and no option but those without which it does nothing.
import { readFileSync } from 'node:fs';
import type { RunInputs } from '../../src/library/runtime/files/inputs.ts';
import type { Files } from './files.ts';

/** Those that share a file out over threads. */
export const threadedTools = [
  'transcribe_audio',
  'remove_fillers',
  'align_script',
  'level_speakers',
  'remove_noise',
  'enhance_voice',
] as const;

export const otherTools = [
  'analyze_audio',
  'adjust_loudness',
  'convert_audio',
  'cut_audio',
  'remove_silence',
  'join_audio',
  'replace_audio',
  'mix_tracks',
] as const;

export function inputsOf(tool: string, { speech, video, script }: Files): { inputs: RunInputs; options: object } {
  switch (tool) {
    case 'align_script':
      return { inputs: [speech], options: { text: readFileSync(script, 'utf8') } };
    case 'cut_audio':
      return { inputs: [speech], options: { ranges: [[1, 2]] } };
    case 'join_audio':
      return { inputs: [speech, speech], options: {} };
    case 'replace_audio':
      return { inputs: { video_file_id: [video], audio_file_id: [speech] }, options: {} };
    case 'mix_tracks':
      return { inputs: [speech, speech], options: { tracks: [{ role: 'voice' }, { role: 'music' }] } };
    default:
      return { inputs: [speech], options: {} };
  }
}
