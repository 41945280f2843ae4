// Checks an uploaded file: what it is, or why it cannot be used. Runs in a job process, since a file may crash a
// parser.
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { EarshotError } from '../../../core/errors/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { CheckOutcome } from '../../../contract/media-work.ts';
import { isTextFormat, type TextFormat, textFormats } from '../../../contract/text-files.ts';
import { pictureFormats } from '../../../core/files/cover-pictures.ts';
import { openAudio } from '../../../media/read/decode.ts';
import type { MediaFacts } from '../../../media/facts.ts';
import { contentTypeOf } from '../../../media/formats.ts';
import { measureRecording } from '../../../media/read/recording-length.ts';
import { probe } from '../../../media/read/probe.ts';
import { beginsAsCover, readCover } from '../../../media/write/read-cover.ts';
import type { RunResult } from '../../../tools/declare/run.ts';
import type { FileTaskContext } from '../task-context.ts';
import { mediaRecord } from '../media-record.ts';

/** Apart from tabs and line ends, text has no control characters; recordings have many in their first bytes. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controlCharacters = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** Names of files that hold pictures one after the other. */
const filmOfPictures: ReadonlySet<string> = new Set(['mjpeg', 'mjpg', 'apng']);

async function checkText(path: string, format: TextFormat): Promise<CheckOutcome | null> {
  const { maxBytes, contentType } = textFormats[format];
  const { size } = await stat(path);
  if (size > maxBytes) return null;
  const bytes = await readFile(path);
  if (!isUtf8(bytes) || controlCharacters.test(bytes.toString('latin1', 0, 65_536))) return null;
  if (format === 'json') {
    try {
      JSON.parse(bytes.toString('utf8'));
    } catch (thrown) {
      throw new EarshotError('file_invalid', `Expected JSON in a file named .json: ${(thrown as Error).message}`);
    }
  }
  return { ok: true, contentType, format, durationSeconds: null, hasVideo: false, hasAudio: false, media: null };
}

/** Why a file with a text extension is not text. */
async function refuseText(path: string, format: TextFormat): Promise<EarshotError> {
  const { maxBytes } = textFormats[format];
  const { size } = await stat(path);
  if (size > maxBytes)
    return new EarshotError(
      'file_too_large',
      `Expected at most ${maxBytes} bytes for a .${format} file but it has ${size}`,
    );
  return new EarshotError(
    'file_invalid',
    `Expected UTF-8 text in a .${format} file. Save it as UTF-8 in a text editor.`,
  );
}

/** Of a JPEG or PNG: whole, and not larger than a cover may be. */
function checkPicture(path: string): CheckOutcome {
  try {
    const { mimeType: contentType } = readCover(path);
    const format = contentType === pictureFormats.png.contentType ? 'png' : 'jpeg';
    return { ok: true, contentType, format, durationSeconds: null, hasVideo: false, hasAudio: false, media: null };
  } catch (thrown) {
    if (!(thrown instanceof EarshotError)) throw thrown;
    throw new EarshotError('file_invalid', thrown.message);
  }
}

/** A stream in the header may still be undecodable: a video then counts as silent, and an audio file as invalid. */
function hasSound(facts: MediaFacts): boolean {
  if (!facts.hasAudio) return false;
  try {
    const source = openAudio(facts);
    try {
      return source.next() !== null;
    } finally {
      source.close();
    }
  } catch (thrown) {
    if (facts.hasVideo) return false;
    throw thrown;
  }
}

async function checkMedia(path: string, signal: AbortSignal): Promise<CheckOutcome> {
  const facts = probe(path);
  if (!facts.hasAudio && !facts.hasVideo)
    throw new EarshotError(
      'unsupported_format',
      `Expected an audio or video file but this ${facts.format} file has neither`,
    );
  const hasAudio = hasSound(facts);
  if (!hasAudio && !facts.hasVideo)
    throw new EarshotError('file_invalid', 'The file declares an audio stream but holds no audio');
  const { hasVideo } = facts;
  return {
    ok: true,
    contentType: contentTypeOf(facts.format, hasVideo),
    format: facts.format,
    durationSeconds: (await measureRecording(facts, signal)).seconds,
    hasVideo,
    hasAudio,
    media: mediaRecord(facts, hasAudio),
  };
}

/** A text extension is accepted when the content is text; everything else must be media, or a picture for a cover. */
async function check(path: string, signal: AbortSignal): Promise<CheckOutcome> {
  const extension = extname(path).slice(1).toLowerCase();
  // Not of film: frames of JPEG one after the other begin as a picture does.
  if (!filmOfPictures.has(extension) && beginsAsCover(path)) return checkPicture(path);
  if (!isTextFormat(extension)) return checkMedia(path, signal);
  const text = await checkText(path, extension);
  if (text) return text;
  try {
    return await checkMedia(path, signal);
  } catch {
    throw await refuseText(path, extension);
  }
}

export async function run({ inputs, signal }: FileTaskContext): Promise<RunResult> {
  const { path } = inputs.file;
  const { size } = await stat(path);
  let checked: CheckOutcome;
  try {
    if (size === 0) throw new EarshotError('file_invalid', 'The file is empty');
    checked = await check(path, signal);
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || thrown.code === 'internal_error') throw thrown;
    checked = { ok: false, error: { code: thrown.code, message: thrown.message } };
  }
  return { outputs: [], result: { checked } as unknown as JsonObject, processedSeconds: 0 };
}
