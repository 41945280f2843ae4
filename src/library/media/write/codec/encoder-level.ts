import type { OutputFormatId } from '../../formats.ts';

/** LAME's factors (abr_switch_map in presets.c): each holds up to halfway to MP3's next bit rate. */
const lameFactors = [
  { belowKbps: 176, factor: 0.95 },
  { belowKbps: 208, factor: 0.97 },
  { belowKbps: 240, factor: 0.98 },
] as const;

/** By how much an encoder changes the level of all sound, dB: LAME lowers it at usual bit rates, so that peaks fit. */
export function encoderLevelDb(format: OutputFormatId, kbps: number): number {
  if (format !== 'mp3') return 0;
  const factor = lameFactors.find(({ belowKbps }) => kbps < belowKbps)?.factor ?? 1;
  return 20 * Math.log10(factor);
}
