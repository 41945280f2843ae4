import { closeSync, openSync, readSync } from 'node:fs';
import { child, boxesIn, outerBoxes, readMoov } from './boxes.ts';

/** By the two bits of a frame's header (ISO/IEC 11172-3, 2.4.2.3). */
const layers = [null, 'mp3', 'mp2', 'mp1'] as const;

/**
 * The codec of a track of MPEG audio by its first frame: MP4 has one object type for all three layers, and FFmpeg calls
 * each of them MP3.
 * @param trackId number of the track in the file
 * @returns null: no such frame was found
 */
export function mpegAudioCodec(path: string, trackId: number): 'mp1' | 'mp2' | 'mp3' | null {
  const handle = openSync(path, 'r');
  try {
    const moov = readMoov(handle, outerBoxes(handle));
    if (!moov) return null;
    const { data, root } = moov;
    for (const track of boxesIn(data, root.body, root.end)) {
      if (track.type !== 'trak') continue;
      const header = child(data, track, 'tkhd');
      if (!header || header.end - header.body < 24) continue;
      if (data.readUInt32BE(header.body + (data[header.body] === 1 ? 20 : 12)) !== trackId) continue;
      const table = child(data, track, 'mdia', 'minf', 'stbl');
      const offsets = table && (child(data, table, 'stco') ?? child(data, table, 'co64'));
      if (!offsets || offsets.end - offsets.body < (offsets.type === 'stco' ? 12 : 16)) return null;
      const first =
        offsets.type === 'stco' ? data.readUInt32BE(offsets.body + 8) : Number(data.readBigUInt64BE(offsets.body + 8));
      if (!Number.isSafeInteger(first)) return null;
      const frame = Buffer.alloc(2);
      if (readSync(handle, frame, 0, 2, first) < 2 || frame.readUInt16BE(0) < 0xff_e0) return null;
      return layers[((frame[1] as number) >> 1) & 3] ?? null;
    }
    return null;
  } finally {
    closeSync(handle);
  }
}
