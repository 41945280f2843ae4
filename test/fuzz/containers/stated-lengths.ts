// Where the headers of containers state a length, and what is written there instead.

/** All places of a name in the head of a file. */
function placesOf(bytes: Buffer, name: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(name, 0, 'latin1'); at !== -1; at = bytes.indexOf(name, at + 1, 'latin1'))
    places.push(at);
  return places;
}

const big = (bytes: Buffer, at: number, factor: number): void =>
  void bytes.writeUInt32BE(Math.min(0xffff_ffff, Math.round(bytes.readUInt32BE(at) * factor)), at);
const little = (bytes: Buffer, at: number, factor: number): void =>
  void bytes.writeUInt32LE(Math.min(0xffff_ffff, Math.round(bytes.readUInt32LE(at) * factor)), at);

type Lie = (bytes: Buffer, factor: number) => void;

/** Durations of a movie, its tracks and their media, in the boxes of version 0 that ffmpeg writes. */
const mp4: Lie = (bytes, factor) => {
  for (const [box, at] of [
    ['mvhd', 20],
    ['tkhd', 24],
    ['mdhd', 20],
  ] as const)
    for (const place of placesOf(bytes, box)) big(bytes, place + at, factor);
};
const matroska: Lie = (bytes, factor) => {
  const at = bytes.indexOf(Buffer.from('448988', 'hex'));
  if (at !== -1) bytes.writeDoubleBE(bytes.readDoubleBE(at + 3) * factor, at + 3);
};

const lies: Readonly<Record<string, Lie>> = {
  wav(bytes, factor) {
    const [place] = placesOf(bytes, 'data');
    if (place !== undefined) little(bytes, place + 4, factor);
  },
  aiff(bytes, factor) {
    const [place] = placesOf(bytes, 'COMM');
    if (place !== undefined) big(bytes, place + 10, factor);
  },
  au: (bytes, factor) => big(bytes, 8, factor),
  caf(bytes, factor) {
    const [place] = placesOf(bytes, 'data');
    // -1: to the end of the file.
    if (place !== undefined)
      bytes.writeBigInt64BE(
        factor === 0 ? -1n : BigInt(Math.round(Number(bytes.readBigInt64BE(place + 4)) * factor)),
        place + 4,
      );
  },
  // The lower 32 of 36 bits in STREAMINFO.
  flac: (bytes, factor) => big(bytes, 22, factor),
  mp3(bytes, factor) {
    const [place] = [...placesOf(bytes, 'Xing'), ...placesOf(bytes, 'Info')];
    if (place !== undefined) big(bytes, place + 8, factor);
  },
  avi(bytes, factor) {
    const [place] = placesOf(bytes, 'auds');
    if (place !== undefined) little(bytes, place + 32, factor);
  },
  flv(bytes, factor) {
    const [place] = placesOf(bytes, 'duration');
    if (place !== undefined) bytes.writeDoubleBE(bytes.readDoubleBE(place + 9) * factor, place + 9);
  },
  m4a: mp4,
  mp4,
  mov: mp4,
  mkv: matroska,
  mka: matroska,
};

export function stateLength(bytes: Buffer, container: string, factor: number): void {
  const lie = lies[container];
  if (!lie) throw new Error(`Expected a container whose stated length is known but received ${container}`);
  lie(bytes, factor);
}
