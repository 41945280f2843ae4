// Detects WAV files that are certainly PCM, so that FFmpeg need not search their samples for other codecs.
import { holdsCodedSound } from '../../kernels/coded-sound.ts';
import { bytesOf, readWaveForm, waveTags } from './wave-form.ts';

/** Longest frame of a codec hidden in PCM: the pause of an S/PDIF burst of E-AC-3, 6144 frames of 4 bytes. */
const longestFrameBytes = 24_576;

/**
 * Is it a WAV file of 16-bit PCM whose first samples are sound? DTS, AC-3, AAC, MP3 and S/PDIF also come in WAV files:
 * FFmpeg searches up to 2,500 packets for them at every opening, 11 ms for mono, 23 ms for stereo. Also false where the
 * head ends in digital silence, after which anything may follow.
 * @param head the first 256 KB of the file, or all of it
 */
export function isPlainWav(head: Buffer): boolean {
  const form = readWaveForm(bytesOf(head));
  if (form === null || form.tag !== waveTags.pcm || form.bits !== 16 || form.dataAt >= head.length) return false;
  const samples = head.subarray(form.dataAt);
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
