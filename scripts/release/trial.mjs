// What the trials of packed packages share.

/** 440 Hz, 16 bits, 48 kHz, as a WAV file. */
export function tone(seconds = 2) {
  const frames = 48_000 * seconds;
  const wav = Buffer.alloc(44 + 2 * frames);
  wav.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  wav.writeUInt32LE(36 + 2 * frames, 4);
  for (const [at, value, bytes] of [
    [16, 16, 4],
    [20, 1, 2],
    [22, 1, 2],
    [24, 48_000, 4],
    [28, 96_000, 4],
    [32, 2, 2],
    [34, 16, 2],
  ])
    wav.writeUIntLE(value, at, bytes);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(2 * frames, 40);
  for (let frame = 0; frame < frames; frame++)
    wav.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * frame) / 48_000)), 44 + 2 * frame);
  return wav;
}
