/** A 16-bit mono WAV of a swelling tone over noise, 44.1 kHz, in memory. The same bytes every time. */
export function wavFile(seconds: number): Uint8Array<ArrayBuffer> {
  const rate = 44_100;
  const frames = seconds * rate;
  const bytes = new Uint8Array(44 + frames * 2);
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string): void => bytes.set(Buffer.from(value, 'latin1'), at);
  text(0, 'RIFF');
  view.setUint32(4, 36 + frames * 2, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, frames * 2, true);
  let seed = 1;
  for (let frame = 0; frame < frames; frame += 1) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    const noise = (seed / 0x7fffffff - 0.5) * 0.02;
    const tone =
      0.3 * Math.sin((2 * Math.PI * 220 * frame) / rate) * (0.5 + 0.5 * Math.sin((2 * Math.PI * 0.5 * frame) / rate));
    view.setInt16(44 + frame * 2, Math.round((tone + noise) * 32_767), true);
  }
  return bytes;
}
