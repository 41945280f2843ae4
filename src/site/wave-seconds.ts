// The length of a WAV file by its head, without decoding it.

const text = (view: DataView, at: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4));

/** Heads with a large chunk of notes before the sound are longer than this. */
const headBytes = 65_536;

/** PCM, float, and the one that says which of them. */
const codecs = [1, 3, 0xff_fe];

/** Seconds; null: it is no WAV, or its sound is compressed. */
export async function waveSecondsOf(file: Blob): Promise<number | null> {
  const view = new DataView(await file.slice(0, headBytes).arrayBuffer());
  if (view.byteLength < 44 || !['RIFF', 'RF64'].includes(text(view, 0)) || text(view, 8) !== 'WAVE') return null;
  let rate = 0;
  for (
    let at = 12;
    at + 24 <= view.byteLength;
    at += 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) & 1)
  ) {
    const name = text(view, at);
    if (name === 'fmt ') {
      if (!codecs.includes(view.getUint16(at + 8, true))) return null;
      rate = view.getUint32(at + 16, true);
    }
    // A size that was never filled in, or is in another place, ends with the file.
    if (name === 'data' && rate > 0)
      return Math.min(view.getUint32(at + 4, true) || Infinity, file.size - at - 8) / rate;
  }
  return null;
}
