// What streams of a file say of themselves: titles, handlers, names of attachments, and the heads of subtitles.
import { Dictionary, type Stream } from 'node-av/lib';
import { AV_CODEC_ID_ASS, AV_CODEC_ID_SSA } from 'node-av/constants';
import { openInput } from '../ffmpeg/ffmpeg.ts';

const hasHead = ({ codecpar }: Stream): boolean =>
  (codecpar.codecId === AV_CODEC_ID_ASS || codecpar.codecId === AV_CODEC_ID_SSA) && codecpar.extradata !== null;

/** What programs write: times, codes and counts. */
const notWords =
  /^(?:duration|encoder|creation_time|timecode|language|vendor_id|mimetype|bps|number_of_.*|_statistics_.*)(?:-[a-z]+)?$/i;

const wordsOf = (stream: Stream): [name: string, text: string][] =>
  Object.entries(stream.metadata?.getAll() ?? {}).filter(([name]) => !notWords.test(name));

/** All of a file. Of Ogg these are its tags. */
export function streamWords(path: string): string[] {
  const input = openInput(path);
  try {
    if (input.context.iformat?.name === 'ogg') return [];
    return input.streams.flatMap((stream) => [
      ...wordsOf(stream).map(([, text]) => text),
      ...(hasHead(stream) ? [String(stream.codecpar.extradata)] : []),
    ]);
  } finally {
    input.close();
  }
}

/** Of a stream that is about to be written. */
export function changeWords(stream: Stream, change: (text: string) => string): void {
  const changed = wordsOf(stream).map(([name, text]) => [name, change(text)] as const);
  if (changed.length > 0)
    stream.metadata = Dictionary.fromObject({ ...stream.metadata?.getAll(), ...Object.fromEntries(changed) });
  if (hasHead(stream)) stream.codecpar.extradata = Buffer.from(change(String(stream.codecpar.extradata)));
}
