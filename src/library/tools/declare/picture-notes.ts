// Notes of a plan on what happens to the picture of a video.
import type { InputFacts } from '../../contract/tool-inputs.ts';

/** Cut with only the pictures around a cut encoded. */
const smart = ['h264', 'hevc', 'av1', 'vp8', 'vp9', 'mpeg1video', 'mpeg2video'];
/** Codecs of key frames only, which are cut without encoding. */
const intra = [
  'mjpeg',
  'prores',
  'dnxhd',
  'rawvideo',
  'ffv1',
  'huffyuv',
  'utvideo',
  'dvvideo',
  'cfhd',
  'jpeg2000',
  'png',
];
/** Of H.264: what its encoder takes as it is. */
const joinedFormats = ['gray', 'yuv420p', 'yuvj420p', 'yuv422p', 'yuvj422p', 'yuv444p', 'yuvj444p'].concat(
  ['gray', 'yuv420p', 'yuv422p', 'yuv444p'].map((format) => `${format}10le`),
);

/** The codec of a picture that has to be encoded as a whole. */
function becomes(format: string, codec: string): string {
  if (codec === 'hevc' && ['mp4', 'mov', 'mkv', 'ts'].includes(format)) return 'HEVC';
  if (format === 'avi') return codec === 'h264' ? 'H.264' : 'MPEG-4';
  if (format === 'wmv') return 'WMV';
  return format === 'mpg' || format === 'mpeg' ? 'MPEG-2' : 'H.264 with 8 bits, which phones play';
}

/**
 * One note for a video, none for audio. Judged by codec and container: a file whose picture format changes midway may
 * be treated differently.
 */
export function pictureNotes({ format, video }: InputFacts): string[] {
  if (!video) return [];
  const { codec, pixelFormat, interlaced = false } = video;
  if (intra.includes(codec)) return [`The ${codec} picture is copied`];
  const odd =
    codec === 'h264' && pixelFormat !== null && pixelFormat !== undefined && !joinedFormats.includes(pixelFormat);
  const inFields = interlaced && ['h264', 'hevc', 'av1'].includes(codec);
  if (smart.includes(codec) && format !== 'avi' && !odd && !inFields)
    return [`The ${codec} picture is copied; only what lies around a cut is encoded again`];
  return [
    `The ${codec} picture cannot be cut without loss: where anything is cut, all of it is encoded again ` +
      `as ${becomes(format, codec)}`,
  ];
}
