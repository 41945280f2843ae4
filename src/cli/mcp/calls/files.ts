// Calls that look at files: what is in the allowed folders, what a transcript says.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as Type from 'typebox/type';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { createOptionsParser } from '../../../library/core/checks/schema.ts';
import { cutWindow, stretchWords, usualStretchSeconds } from '../../../library/contract/transcript-window.ts';
import { parseTranscript } from '../../../library/contract/parse-transcript.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { answerOf, listOf } from '../../../library/tools/answer-schemas.ts';
import { filesAnswer } from './answer-schemas.ts';
import type { LocalCall } from './call.ts';

/** Calls that start nothing. */
export const fileCalls = (folders: AllowedFolders): readonly LocalCall[] => [listCall(folders), readCall(folders)];

const ListFiles = Type.Object(
  { folder: Type.Optional(Type.String({ description: 'Default: the allowed folders' })) },
  { additionalProperties: false },
);
/** A longer list would fill the model's context. */
const mostListed = 200;

function listCall(folders: AllowedFolders): LocalCall {
  const parse = createOptionsParser<{ folder?: string }>('list_files', ListFiles);
  return {
    name: 'list_files',
    title: 'List files',
    description: 'Files and folders in a folder that is allowed, with their sizes; the newest first.',
    inputSchema: ListFiles,
    outputSchema: filesAnswer,
    group: 'files',
    usual: true,
    readOnly: true,
    replaces: false,
    async run(given) {
      const { folder } = parse(given, 'json');
      const shown = folder === undefined ? folders.roots : [await folders.existing(folder)];
      const entries = (await Promise.all(shown.map(listFolder))).flat();
      const listed = entries.toSorted((a, b) => b.changedAt - a.changedAt).slice(0, mostListed);
      const left = entries.length - listed.length;
      return {
        text:
          entries.length === 0
            ? 'There are no files.'
            : `Files and folders: ${listed.length}${left > 0 ? `, and ${left} more` : ''}.`,
        quoted: listed.map(({ path, bytes }) => (bytes === null ? `${path}/` : `${path} (${bytes} bytes)`)).join('\n'),
        data: { files: listed.map(({ path, bytes }) => ({ path, bytes })), left: Math.max(0, left) },
      };
    },
  };
}

async function listFolder(folder: string): Promise<{ path: string; bytes: number | null; changedAt: number }[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new EarshotError('bad_request', `${folder} cannot be listed`, { cause, nextAction: 'Name a folder.' });
  });
  const found = await Promise.all(
    names
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => {
        const path = join(folder, name);
        const facts = await stat(path).catch(() => null);
        if (facts === null) return [];
        return [{ path, bytes: facts.isDirectory() ? null : facts.size, changedAt: facts.mtimeMs }];
      }),
  );
  return found.flat();
}

const ReadTranscript = Type.Object(
  {
    file: Type.String({ description: 'Path of a transcript as JSON' }),
    from: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'Seconds' })),
    to: Type.Optional(Type.Number({ minimum: 0, description: `Seconds. Default: from + ${usualStretchSeconds}` })),
    detail: Type.Optional(Type.Enum(['concise', 'full'], { default: 'concise', description: 'full: with every word' })),
  },
  { additionalProperties: false },
);
const mostTranscriptBytes = 64 * 1024 * 1024;

interface AskedTranscript {
  file: string;
  from?: number;
  to?: number;
  detail?: 'concise' | 'full';
}

function readCall(folders: AllowedFolders): LocalCall {
  const parse = createOptionsParser<AskedTranscript>('read_transcript', ReadTranscript);
  return {
    name: 'read_transcript',
    title: 'Read a transcript',
    description: 'The sentences of a transcript in a window of time, with speakers.',
    inputSchema: ReadTranscript,
    outputSchema: answerOf({
      language: { type: 'string' },
      durationSeconds: { type: 'number' },
      sentences: listOf({ type: 'object' }),
      nextFromSeconds: { type: ['number', 'null'] },
    }),
    group: 'files',
    usual: true,
    readOnly: true,
    replaces: false,
    async run(given) {
      const { file, from = 0, to = from + usualStretchSeconds, detail = 'concise' } = parse(given, 'json');
      const path = await folders.file(file);
      if ((await stat(path)).size > mostTranscriptBytes)
        throw new EarshotError('file_too_large', `Expected a transcript of at most ${mostTranscriptBytes} bytes`);
      const stretch = cutWindow(parseTranscript(await readFile(path, 'utf8')), from, to, detail);
      return { ...stretchWords(stretch), data: stretch };
    },
  };
}
