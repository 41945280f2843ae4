import type { Stream } from 'node-av/lib';
import type { Warning } from '../core/progress.ts';
import type { MediaFacts } from './facts.ts';
import { ticksToSeconds, type OpenedInput } from './ffmpeg.ts';

/** Length that a RIFF header promises, seconds; null when it promises none or is no RIFF. Readers cap it at the file's size, so it must be read here. */
function riffSeconds(head: Buffer): number | null {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length;) {
    const id = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (id === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    // Streaming writers leave 0 or the largest number where they could not seek back.
    if (id === 'data') return bytesPerSecond > 0 && size > 0 && size < 0xffff_f000 ? size / bytesPerSecond : null;
    at += 8 + size + (size % 2);
  }
  return null;
}

/** Containers whose declared length is written down, not guessed from the bit rate. */
const exactLength = new Set(['flac', 'mp4', 'm4a', 'mov', '3gp', 'mkv', 'webm', 'aiff', 'caf', 'wma', 'wmv', 'avi']);

/** Says so when clearly less sound came than the file promises: a cut-off file ends without an error in most formats. */
export function shortfall(input: OpenedInput, facts: MediaFacts, stream: Stream, gotSeconds: number): Warning | null {
  let declared: number | null = null;
  let tolerance = 0.5;
  if (facts.format === 'wav') {
    declared = riffSeconds(input.head);
    tolerance = 0.01;
  } else if (exactLength.has(facts.format)) {
    declared = ticksToSeconds(stream.duration, stream.timeBase) ?? facts.durationSeconds;
  } else if (facts.format === 'mp3' && input.head.includes('Xing')) {
    declared = facts.durationSeconds;
  }
  if (declared === null || gotSeconds >= declared - tolerance - declared * 0.001) return null;
  return {
    code: 'truncated',
    message: `The file promises ${declared.toFixed(2)} s of sound but ${gotSeconds.toFixed(2)} s could be read; it is cut off or damaged`,
  };
}
