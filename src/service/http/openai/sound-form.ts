/** How a session's sound comes, mono. */
export interface SoundForm {
  /** As `session.update` names it, and as `transcription_session.update` does. */
  readonly type: 'audio/pcm' | 'audio/pcmu' | 'audio/pcma';
  readonly olderName: 'pcm16' | 'g711_ulaw' | 'g711_alaw';
  /** Hz */
  readonly sampleRate: number;
  readonly bytesPerFrame: number;
  /** The format's number in a WAV file. */
  readonly waveTag: number;
  /** Whole frames as samples of 16 bits. */
  samplesOf(bytes: Buffer): Int16Array;
}

function fromPcm16(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / 2);
  for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(2 * index);
  return samples;
}

/** ITU-T G.711, mu-law: all bits inverted; sign, segment, step. */
function fromMulaw(code: number): number {
  const inverted = ~code & 0xff;
  const magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4);
  return inverted & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
}

/** ITU-T G.711, A-law: even bits inverted. */
function fromAlaw(code: number): number {
  const inverted = code ^ 0x55;
  const segment = (inverted & 0x70) >> 4;
  const step = (inverted & 0x0f) << 4;
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1);
  return inverted & 0x80 ? magnitude : -magnitude;
}

const byTable = (decode: (code: number) => number): SoundForm['samplesOf'] => {
  const table = Int16Array.from({ length: 256 }, (_, code) => decode(code));
  return (bytes) => Int16Array.from(bytes, (code) => table[code] ?? 0);
};

export const pcm16: SoundForm = {
  type: 'audio/pcm',
  olderName: 'pcm16',
  sampleRate: 24_000,
  bytesPerFrame: 2,
  waveTag: 1,
  samplesOf: fromPcm16,
};

export const soundForms: readonly SoundForm[] = [
  pcm16,
  {
    type: 'audio/pcmu',
    olderName: 'g711_ulaw',
    sampleRate: 8000,
    bytesPerFrame: 1,
    waveTag: 7,
    samplesOf: byTable(fromMulaw),
  },
  {
    type: 'audio/pcma',
    olderName: 'g711_alaw',
    sampleRate: 8000,
    bytesPerFrame: 1,
    waveTag: 6,
    samplesOf: byTable(fromAlaw),
  },
];

/** A WAV file of this sound. */
export function waveFile({ sampleRate, bytesPerFrame, waveTag }: SoundForm, sound: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + sound.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(waveTag, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * bytesPerFrame, 28);
  head.writeUInt16LE(bytesPerFrame, 32);
  head.writeUInt16LE(8 * bytesPerFrame, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(sound.length, 40);
  return Buffer.concat([head, sound]);
}
