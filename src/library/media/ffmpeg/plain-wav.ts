// Detects WAV files that are certainly PCM, so that FFmpeg need not search their samples for other codecs.
import { holdsCodedSound } from '../../kernels/coded-sound.ts';

const pcm = 1;
const extensible = 0xfffe;
/** Longest frame of a codec hidden in PCM: the pause of an S/PDIF burst of E-AC-3, 6144 frames of 4 bytes. */
const longestFrameBytes = 24_576;

/** The format and start of the samples; null where the file's head does not contain both. */
function pcm16Start(head: Buffer): number | null {
  const outer = head.toString('latin1', 0, 4);
  if (!['RIFF', 'RF64', 'BW64'].includes(outer) || head.toString('latin1', 8, 12) !== 'WAVE') return null;
  let isPcm16 = false;
  for (let at = 12; at + 8 <= head.length;) {
    const id = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (id === 'fmt ' && at + 24 <= head.length)
      isPcm16 = [pcm, extensible].includes(head.readUInt16LE(at + 8)) && head.readUInt16LE(at + 22) === 16;
    if (id === 'data') return isPcm16 ? at + 8 : null;
    at += 8 + size + (size % 2);
  }
  return null;
}

/**
 * Is it a WAV file of 16-bit PCM whose first samples are sound? DTS, AC-3, AAC, MP3 and S/PDIF also come in WAV files:
 * FFmpeg searches up to 2,500 packets for them at every opening, 11 ms for mono, 23 ms for stereo. Also false where the
 * head ends in digital silence, after which anything may follow.
 * @param head the first 256 KB of the file, or all of it
 */
export function isPlainWav(head: Buffer): boolean {
  const start = pcm16Start(head);
  if (start === null || start >= head.length) return false;
  const samples = head.subarray(start);
  const last = samples.subarray(-longestFrameBytes);
  if (samples.length > longestFrameBytes && last.indexOf(0) === 0 && last.equals(Buffer.alloc(last.length)))
    return false;
  try {
    return !holdsCodedSound(samples);
  } catch {
    // Without the addon, FFmpeg's slower search works as well.
    return false;
  }
}
