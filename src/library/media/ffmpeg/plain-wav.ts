// Which WAV files are certainly what they say, so that FFmpeg need not look through their samples for other codecs.
import { holdsCodedSound } from '../../kernels/coded-sound.ts';

const pcm = 1;
const extensible = 0xfffe;
/** No frame of a codec that hides in PCM is longer: the pause of an S/PDIF burst of E-AC-3, 6144 frames of 4 bytes. */
const longestFrameBytes = 24_576;

/** The format of the samples and where they begin; null where the head does not hold both. */
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
 * Is it a WAV file of 16-bit PCM whose first samples are sound? DTS, AC-3, AAC, MP3 and S/PDIF travel under that name, too:
 * FFmpeg tries for up to 2,500 packets to find them, at every opening; 11 ms for mono, 23 ms for stereo. False also where
 * the head ends in digital silence, behind which anything may begin.
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
    // Without the addon: looking at files works, and takes its time.
    return false;
  }
}
