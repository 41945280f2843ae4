// Sound as realtime sessions take it: 24 kHz, 16 bits, mono.
import { recording } from '../../../fixtures/recordings.ts';
import { readVoice } from '../../../fixtures/sounds/conversations.ts';

const fromRate = 16_000;

/** 16 kHz as 24 kHz, by straight lines. */
function pcm24(samples: Float32Array): Buffer {
  const frames = Math.floor((samples.length * 3) / 2);
  const bytes = Buffer.alloc(2 * frames);
  for (let frame = 0; frame < frames; frame += 1) {
    const at = (frame * 2) / 3;
    const [before, after] = [samples[Math.floor(at)] ?? 0, samples[Math.ceil(at)] ?? 0];
    const value = before + (after - before) * (at - Math.floor(at));
    bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, value)) * 32_767), 2 * frame);
  }
  return bytes;
}

/** Kennedy's 11 s: "And so, my fellow Americans, ask not ...", and a second of silence. */
export const jfk = (): Buffer =>
  pcm24(new Float32Array([...readVoice(recording('jfk.wav')), ...new Float32Array(fromRate)]));

/** So many seconds in which no one speaks. */
export function tone(seconds: number): Buffer {
  const bytes = Buffer.alloc(48_000 * seconds);
  for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(Math.round(3000 * Math.sin(at / 17)), at);
  return bytes;
}
