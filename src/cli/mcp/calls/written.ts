// What calls answer that have written files.
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AssistantAnswer } from '../../../library/contract/assistant-answers.ts';
import { parseTranscript } from '../../../library/contract/parse-transcript.ts';
import { wholeTranscript } from '../../../library/contract/transcript-window.ts';
import { contentTypeOfExtension, unknownContentType } from '../../../library/core/files/content-types.ts';

/** A file for programs. */
export interface WrittenFile {
  readonly path: string;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** null: no sound or picture, or not known. */
  readonly durationSeconds: number | null;
}

/** @param durations by path. Default: not known */
export const writtenFiles = (
  paths: readonly string[],
  durations: ReadonlyMap<string, number | null> = new Map(),
): Promise<WrittenFile[]> =>
  Promise.all(
    paths.map(async (path) => ({
      path,
      filename: basename(path),
      contentType: contentTypeOfExtension(extname(path).slice(1).toLowerCase()) ?? unknownContentType,
      sizeBytes: (await stat(path)).size,
      durationSeconds: durations.get(path) ?? null,
    })),
  );

/** @param quoted lines about the files that quote others */
export async function answerFiles(
  text: string,
  files: readonly WrittenFile[],
  quoted: readonly string[],
  data: object,
): Promise<AssistantAnswer> {
  const words = await transcriptWords(files);
  return {
    text: [text, ...(words === null ? [] : [words.text])].join('\n'),
    quoted: [...files.map(({ path }) => `Written: ${path}`), ...quoted, ...(words === null ? [] : [words.quoted])].join(
      '\n',
    ),
    data: { outputs: files, ...data },
    links: files.map(({ path, filename, contentType, sizeBytes }) => ({
      name: filename,
      uri: pathToFileURL(path).href,
      contentType,
      sizeBytes,
    })),
  };
}

/** A short transcript whole, and of a long one how it is read; null: there is none. */
async function transcriptWords(files: readonly WrittenFile[]): Promise<{ text: string; quoted: string } | null> {
  const file = files.find(({ filename }) => filename.endsWith('.json'));
  if (file === undefined) return null;
  const words = wholeTranscript(parseTranscript(await readFile(file.path, 'utf8')));
  return words ?? { text: 'The transcript is long: read it with read_transcript and its .json.', quoted: '' };
}
