import { CodecParameters, Packet, avGetCodecName } from 'node-av/lib';
import { AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG, AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import { pictureSize } from '../ffmpeg/picture-size.ts';
import { isCoverStream, openInput } from '../ffmpeg/ffmpeg.ts';

/** Cover art extracted from a file. */
export interface Cover {
  readonly parameters: CodecParameters;
  readonly data: Buffer;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  close(): void;
}

const mimeTypes: Readonly<Record<string, string>> = { mjpeg: 'image/jpeg', png: 'image/png' };

/** FFmpeg returns cover art before anything else, so it comes within these packets or not at all. */
const packetsToTry = 64;

/** The first JPEG or PNG cover of a file, or null. Too few players support other formats. */
export function readCover(path: string): Cover | null {
  const input = openInput(path);
  const packet = new Packet();
  packet.alloc();
  try {
    const covers = new Map(input.streams.filter(isCoverStream).map((stream) => [stream.index, stream]));
    // `stream.attachedPic` crashes the process in node-av 6.1.1, so the picture is read as a packet.
    for (let tries = 0; covers.size > 0 && tries < packetsToTry && input.read(packet) >= 0; tries += 1) {
      const stream = covers.get(packet.streamIndex);
      const mimeType = stream && mimeTypes[avGetCodecName(stream.codecpar.codecId) ?? ''];
      const { data } = packet;
      if (stream && mimeType && data && data.length > 0) {
        const parameters = new CodecParameters();
        parameters.alloc();
        stream.codecpar.copy(parameters);
        return {
          parameters,
          data: Buffer.from(data),
          mimeType,
          width: stream.codecpar.width,
          height: stream.codecpar.height,
          close: () => parameters.free(),
        };
      }
      packet.unref();
    }
    return null;
  } finally {
    packet.free();
    input.close();
  }
}

/** A picture as cover art; null where it is neither JPEG nor PNG. */
export function coverOf(data: Buffer): Cover | null {
  const size = pictureSize(data);
  const isPng = data.toString('latin1', 1, 4) === 'PNG';
  if (!size || !(isPng || (data[0] === 0xff && data[1] === 0xd8))) return null;
  const parameters = new CodecParameters();
  parameters.alloc();
  parameters.codecType = AVMEDIA_TYPE_VIDEO;
  parameters.codecId = isPng ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG;
  parameters.width = size.width;
  parameters.height = size.height;
  return { parameters, data, mimeType: isPng ? 'image/png' : 'image/jpeg', ...size, close: () => parameters.free() };
}

/** A FLAC picture block in Base64, the form of cover art in Ogg Vorbis and Opus (RFC 9639, section 8.8). */
export function pictureComment(cover: Cover): string {
  const mime = Buffer.from(cover.mimeType, 'ascii');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(3, 0); // front cover
  head.writeUInt32BE(mime.length, 4);
  const facts = Buffer.alloc(24);
  facts.writeUInt32BE(0, 0); // description length
  facts.writeUInt32BE(cover.width, 4);
  facts.writeUInt32BE(cover.height, 8);
  facts.writeUInt32BE(24, 12); // bits per pixel
  facts.writeUInt32BE(0, 16); // palette size
  facts.writeUInt32BE(cover.data.length, 20);
  return Buffer.concat([head, mime, facts, cover.data]).toString('base64');
}
