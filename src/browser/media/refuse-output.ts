// Refuses a run before its work where its output is of a format that is not written here.
import type { OutputFormatId } from '../../library/media/formats.ts';
import { probe } from '../../library/media/read/probe.ts';
import { planOutput } from '../../library/media/write/output.ts';
import { notHere } from './not-here.ts';

/**
 * @param path of the input that an output is like
 * @param format that was asked for; null: the input's
 * @throws EarshotError unsupported_format
 */
export function refuseOutput(path: string, format: string | null): void {
  const plan = planOutput(probe(path), (format ?? 'same') as OutputFormatId | 'same');
  if (plan.soundFormat !== 'wav') throw notHere(`Files of the format ${plan.format} are not written`, 'Ask for wav. ');
}
