import * as Type from 'typebox/type';
import { createOptionsParser } from '../../../../library/core/checks/schema.ts';
import { fileIdPattern } from '../../../../library/tools/request-schema.ts';
import type { AssistantAnswer } from '../../../../library/contract/assistant-answers.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import type { UploadTicket } from '../../../rules/files/upload-tickets.ts';
import { fileRecord, pageOf, pageRequest, uploadInstructions } from '../../interface/records.ts';
import { type Call, type CallContext, making, reading } from './call.ts';
import { fileWords, type Words } from './words.ts';
import { linkOf, waitField } from './waiting.ts';
import { fileAnswer, filesAnswer, uploadAnswer } from './answer-schemas.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

export const fileId = Type.String({ pattern: fileIdPattern });
const filename = Type.String({ minLength: 1, maxLength: 255, description: 'Name with extension' });

const CreateUpload = Type.Object(
  {
    filename: Type.Optional(filename),
    size_bytes: Type.Optional(
      Type.Integer({ exclusiveMinimum: 0, description: 'With filename: gives a link to PUT to' }),
    ),
    content_type: Type.Optional(Type.String({ maxLength: 100, description: 'Media type' })),
  },
  { additionalProperties: false },
);
const ImportFile = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 4000, description: 'A public https link' }),
    filename: Type.Optional(filename),
  },
  { additionalProperties: false },
);
const usualWaitSeconds = 20;
const GetFile = Type.Object(
  { file_id: fileId, wait: Type.Optional(waitField(usualWaitSeconds)) },
  { additionalProperties: false },
);
const ListFiles = Type.Object(
  {
    kind: Type.Optional(Type.Enum(['original', 'output'], { description: 'Default: both' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    cursor: Type.Optional(Type.String({ maxLength: 500, description: 'nextCursor of the page before' })),
  },
  { additionalProperties: false },
);

/** Calls for files: uploading, importing, listing. Audio itself never passes through the model. */
export function fileCalls({ service }: DialectDeps): readonly Call[] {
  const { files, tools } = service;
  const parseCreate = createOptionsParser<{ filename?: string; size_bytes?: number; content_type?: string }>(
    'create_upload',
    CreateUpload,
  );
  const parseImport = createOptionsParser<{ url: string; filename?: string }>('import_file', ImportFile);
  const parseGet = createOptionsParser<{ file_id: string; wait?: number }>('get_file', GetFile);
  const parseList = createOptionsParser<{ kind?: 'original' | 'output'; limit?: number; cursor?: string }>(
    'list_files',
    ListFiles,
  );
  const answerFile = async (file: StoredFile, { account }: CallContext): Promise<AssistantAnswer> => {
    const links = file.status === 'ready' ? [linkOf(file, (await files.downloadLink(account, file.id)).url)] : [];
    return { ...stateWords(file), data: fileRecord(file, tools), links };
  };

  return [
    {
      name: 'create_upload',
      title: 'Upload a file',
      description:
        'A place for a file from a computer: a page where a person uploads it and, with filename and size_bytes, a ' +
        'link to PUT it to. Then wait with get_file.',
      inputSchema: CreateUpload,
      outputSchema: uploadAnswer,
      group: 'files',
      usual: true,
      annotations: { ...making, idempotentHint: false },
      async run(given, { account }) {
        const { filename: name, size_bytes: sizeBytes, content_type: contentType } = parseCreate(given, 'json');
        const ticket = await files.create(account, {
          ...(name === undefined ? {} : { filename: name }),
          ...(sizeBytes === undefined ? {} : { sizeBytes }),
          ...(contentType === undefined ? {} : { contentType }),
        });
        const { file, uploadPageUrl } = ticket;
        return {
          text: uploadWords(ticket),
          data: { file: fileRecord(file, tools), ...uploadInstructions(ticket), uploadPageUrl },
        };
      },
    },
    {
      name: 'import_file',
      title: 'Import a file from a link',
      description:
        'Fetches audio, video or text from a public https link. The same link within an hour is the same file.',
      inputSchema: ImportFile,
      outputSchema: fileAnswer,
      group: 'files',
      usual: true,
      annotations: { ...making, openWorldHint: true },
      run: async (given, context) =>
        answerFile(await files.importLink(context.account, parseImport(given, 'json')), context),
    },
    {
      name: 'get_file',
      title: 'Get a file',
      description: 'A file with its length, format and prices, and a link to download it. Waits until it has arrived.',
      inputSchema: GetFile,
      outputSchema: fileAnswer,
      group: 'files',
      usual: true,
      annotations: reading,
      async run(given, context) {
        const { file_id: id, wait = usualWaitSeconds } = parseGet(given, 'json');
        return answerFile(await files.get(context.account, id, wait, context.signal), context);
      },
    },
    {
      name: 'list_files',
      title: 'List files',
      description: 'Files of this account, newest first. They are deleted after a day.',
      inputSchema: ListFiles,
      outputSchema: filesAnswer,
      group: 'files',
      usual: true,
      annotations: reading,
      async run(given, { account }) {
        const { kind = null, ...page } = parseList(given, 'json');
        const found = await files.list(account, { kind }, pageRequest(page));
        return {
          text: found.items.length === 0 ? 'There are no files.' : `Files: ${found.items.length}.`,
          quoted: found.items.map(fileWords).join('\n'),
          data: pageOf(found, (file) => fileRecord(file, tools)),
        };
      },
    },
  ];
}

function stateWords(file: StoredFile): Words {
  const { status, error, id } = file;
  const quoted = fileWords(file);
  if (status === 'invalid')
    return { text: `${id} cannot be used.`, quoted: `${quoted}: ${error?.message ?? 'its check failed'}` };
  if (status === 'awaiting_upload') return { text: `${id} awaits its upload.`, quoted: '' };
  if (status === 'processing') return { text: `${id} is arriving or being checked; call get_file again.`, quoted };
  return { text: `${id} is ${status}.`, quoted };
}

function uploadWords({ file, upload, multipart, uploadPageUrl }: UploadTicket): string {
  const page = `A person can upload it at ${uploadPageUrl}.`;
  if (upload !== null) {
    const headers = Object.entries(upload.headers).map(([name, value]) => ` -H '${name}: ${value}'`);
    return `${file.id}. Upload it with: curl -T <its path>${headers.join('')} '${upload.url}'. ${page}`;
  }
  if (multipart !== null)
    return `${file.id}. ${multipart.partCount} parts of ${multipart.partSizeBytes} bytes: see multipart. ${page}`;
  return `${file.id}. ${page}`;
}
