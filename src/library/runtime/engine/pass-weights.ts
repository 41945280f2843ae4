import { extname } from 'node:path';
import type { StageWeights } from '../../core/progress/run-meter.ts';

/** The stages that write an output, and what they cost in a format beside MP3. */
const writing: ReadonlySet<string> = new Set(['encoding', 'cutting', 'joining']);
const costOfWriting: Readonly<Record<string, number>> = { wav: 0.2, flac: 0.5 };

/**
 * What the passes of a run cost against each other.
 * @param passes of the tool's declaration
 * @param input name of the first file, whose format is the output's where no other is asked for
 */
export function passWeights(
  passes: StageWeights,
  input: string,
  options: Readonly<Record<string, unknown>>,
): StageWeights {
  const given = options['output_format'];
  const format = typeof given === 'string' && given !== 'same' ? given : extname(input).slice(1).toLowerCase();
  const factor = costOfWriting[format] ?? 1;
  return Object.fromEntries(
    Object.entries(passes).map(([stage, weight = 1]) => [stage, writing.has(stage) ? weight * factor : weight]),
  );
}
