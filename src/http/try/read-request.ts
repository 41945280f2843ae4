import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../core/errors.ts';
import { shownName } from '../../core/names.ts';
import { badValue } from '../../core/schema.ts';
import type { Admission } from '../../service/free-run-cases.ts';
import { isRaw } from '../server/bodies.ts';
import { createFormReader, type FormReader, type ReadForm, requireLink, type ToolForm } from './form.ts';
import { readRawBody } from './raw-body.ts';

/** Script text of 2 MiB characters, each of up to four bytes, and the rest of the fields. */
const fieldBytes = 4 * 2 * 1024 * 1024;
const allFieldsBytes = fieldBytes + 1024 * 1024;
/** No tool takes half as many. */
const mostParts = 120;

/** Takes the request's files and options, a form's in any order. @throws EarshotError naming what does not fit */
export async function readRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  form: ToolForm,
  admission: Admission,
  gone: AbortSignal,
): Promise<ReadForm> {
  const raw = isRaw(request);
  const reader = createFormReader(form, raw || request.isMultipart() ? 'text' : 'json', request.account !== null);
  if (request.isMultipart()) await readParts(request, reader, admission, gone);
  else if (raw) await readRawBody(request, reply, form, reader, admission, gone);
  else await readJson(request.body, form, reader, admission);
  return reader.finish();
}

async function readParts(
  request: FastifyRequest,
  reader: FormReader,
  admission: Admission,
  gone: AbortSignal,
): Promise<void> {
  let fieldsLeft = allFieldsBytes;
  try {
    // The admission counts the bytes of all files together and refuses what is too much while it arrives.
    const limits = { fileSize: Infinity, fieldSize: fieldBytes, parts: mostParts, files: mostParts, fields: mostParts };
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        await readFile(part, reader, admission, gone);
        continue;
      }
      const { fieldname: name, value } = part;
      const size = typeof value === 'string' ? Buffer.byteLength(value) : 0;
      fieldsLeft -= size;
      if ((part as MultipartValue & { valueTruncated: boolean }).valueTruncated || fieldsLeft < 0)
        throw new EarshotError(
          'text_too_long',
          `Expected at most ${fieldBytes} bytes of text for ${shownName(name)} but more came`,
          {
            details: { field: shownName(name), limit: fieldBytes },
          },
        );
      if (reader.takesLinks(name))
        reader.addFile(reader.fileField(name, true), await admission.fetch(requireLink(name, value)));
      else reader.addValue(name, value);
    }
  } catch (thrown) {
    throw asFormError(thrown, gone);
  }
}

async function readFile(
  part: MultipartFile,
  reader: FormReader,
  admission: Admission,
  gone: AbortSignal,
): Promise<void> {
  const field = reader.fileField(part.fieldname, false);
  const brought = await admission.receive({
    filename: part.filename,
    contentType: part.mimetype,
    body: part.file,
    signal: gone,
  });
  if (part.file.truncated) throw new EarshotError('file_too_large', 'The file was cut off while it arrived');
  reader.addFile(field, brought);
}

async function readJson(body: unknown, { files }: ToolForm, reader: FormReader, admission: Admission): Promise<void> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badValue(
      'body',
      `a form (multipart/form-data) with ${files[0]?.name ?? 'file'}, or a JSON object with ${files[1]?.name ?? 'url'}`,
      body ?? undefined,
      'the body',
    );
  for (const [name, value] of Object.entries(body)) {
    if (!reader.takesLinks(name)) {
      reader.addValue(name, value);
      continue;
    }
    for (const link of Array.isArray(value) ? (value as unknown[]) : [value])
      reader.addFile(reader.fileField(name, true), await admission.fetch(requireLink(name, link)));
  }
}

/** What the parser throws is about the form; what the client's end throws is about nobody. */
function asFormError(thrown: unknown, gone: AbortSignal): unknown {
  if (thrown instanceof EarshotError || gone.aborted) return thrown;
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return badValue('body', `at most ${mostParts} parts`, 'more', 'the form');
  if (typeof code === 'string' && code.startsWith('FST_'))
    return new EarshotError('bad_request', `The form cannot be read: ${String(message)}`, { cause: thrown });
  if (thrown instanceof Error && /multipart|boundary|part terminated|form/i.test(thrown.message))
    return new EarshotError('bad_request', `The form cannot be read: ${thrown.message}`, { cause: thrown });
  return thrown;
}
