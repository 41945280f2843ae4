// Cover art: read by FFmpeg from files whose tags are not read here, and as a stream that its writers take.
import { CodecParameters, type FormatContext, Packet, Rational, type Stream } from 'node-av/lib';
import { AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG, AV_DISPOSITION_ATTACHED_PIC, AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import { expectOk, isCoverStream, openInput } from '../ffmpeg/ffmpeg.ts';
import { pictureSize } from '../tags/picture-size.ts';
import { frontCover, mimeTypeOf, type Picture } from '../tags/model.ts';

/** FFmpeg returns cover art before anything else, so it comes within these packets or not at all. */
const packetsToTry = 64;

/** The covers of a file, as FFmpeg finds them. */
export function readCovers(path: string): Picture[] {
  const input = openInput(path);
  const packet = new Packet();
  packet.alloc();
  try {
    const left = new Set(input.streams.filter(isCoverStream).map((stream) => stream.index));
    const found: Picture[] = [];
    // `stream.attachedPic` crashes the process in node-av 6.1.1, so the pictures are read as packets.
    for (let tries = 0; left.size > 0 && tries < packetsToTry && input.read(packet) >= 0; tries += 1) {
      const { data } = packet;
      const mimeType = data && mimeTypeOf(data);
      if (left.delete(packet.streamIndex) && data && mimeType)
        found.push({ type: frontCover, mimeType, description: '', data: Buffer.from(data) });
      packet.unref();
    }
    return found;
  } finally {
    packet.free();
    input.close();
  }
}

/** A picture as cover art; null where it is neither JPEG nor PNG, which are what players show. */
export function coverOf(data: Buffer): Picture | null {
  const mimeType = mimeTypeOf(data);
  if (!pictureSize(data) || !(mimeType === 'image/jpeg' || mimeType === 'image/png')) return null;
  return { type: frontCover, mimeType, description: '', data };
}

/** A stream for cover art; before the header is written. */
export function addCoverStream(context: FormatContext, { data, mimeType }: Picture): Stream {
  const { width, height } = pictureSize(data) ?? { width: 1, height: 1 };
  const parameters = new CodecParameters();
  parameters.alloc();
  parameters.codecType = AVMEDIA_TYPE_VIDEO;
  parameters.codecId = mimeType === 'image/png' ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG;
  parameters.width = width;
  parameters.height = height;
  const stream = context.newStream();
  parameters.copy(stream.codecpar);
  parameters.free();
  stream.codecpar.codecTag = 0;
  stream.timeBase = new Rational(1, 90_000);
  stream.disposition = AV_DISPOSITION_ATTACHED_PIC;
  return stream;
}

export function writeCover(context: FormatContext, stream: Stream, { data }: Picture): void {
  const packet = new Packet();
  packet.alloc();
  packet.data = data;
  packet.streamIndex = stream.index;
  packet.pts = 0n;
  packet.dts = 0n;
  packet.isKeyframe = true;
  expectOk(context.interleavedWriteFrameSync(packet), 'Writing the cover art');
  packet.free();
}
