// What the results of several tools say in the same words.
import { withUnit } from '../../core/readable.ts';
import type { VolumeFacts } from '../../contract/tool-results.ts';

/** Display names of networks and libraries. */
const engineNames: Readonly<Record<string, string>> = {
  deepfilternet3: 'DeepFilterNet3',
  rnnoise: 'RNNoise',
  gtcrn: 'GTCRN',
};
export const engineName = (id: string): string => engineNames[id] ?? id;

export const targetName = (target: string, lufs: number | null): string =>
  target === 'custom' || lufs === null ? target : `${target} (${lufs} LUFS)`;

/** "to -16 LUFS: -16.0 LUFS, true peak -1.2 dBTP". */
export function volume({ targetLufs, output }: Partial<VolumeFacts>): string {
  if (targetLufs === undefined || output === undefined) return 'level unchanged';
  return (
    `to ${targetLufs} LUFS: now ${withUnit(output.integratedLufs, 'LUFS')}, true ` +
    `peak ${withUnit(output.truePeakDbtp, 'dBTP')}`
  );
}

/** "English" for en. */
export const languageName = (code: unknown): string => {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(String(code)) ?? String(code);
  } catch {
    return String(code);
  }
};
