import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import { badInput, badValue } from '../../../library/core/checks/schema.ts';
import type { Admission } from '../../rules/free-runs/free-run-use-cases.ts';
import { isRaw } from '../server/bodies.ts';
import { type FilePart, formParts } from '../server/form-parts.ts';
import type { ToolForm } from '../interface/tool-form.ts';
import { asPageSends, cameFromPage } from './page-forms.ts';
import { createFormReader, type FormReader, type ReadForm, requireLink } from './form.ts';
import { readRawBody } from './raw-body.ts';

/** Script text of 2 MiB characters, each of up to four bytes, and the rest of the fields. */
const fieldBytes = 4 * 2 * 1024 * 1024;
const allFieldsBytes = fieldBytes + 1024 * 1024;
/** Twice as many as any tool accepts. */
const mostParts = 120;

/** Reads the request's files and options; those of a form in any order. */
export async function readRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  form: ToolForm,
  admission: Admission,
  gone: AbortSignal,
): Promise<ReadForm> {
  const raw = isRaw(request);
  const made = createFormReader(form, raw || request.isMultipart() ? 'text' : 'json', request.account !== null);
  const reader = cameFromPage(request) ? asPageSends(form, made) : made;
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
  // Programs name parts only; a part without a name is refused below.
  const valueBytes = (name: string): number => (name === '' ? 0 : Math.min(fieldBytes, reader.mostBytes(name)));
  for await (const part of formParts(request, { parts: mostParts, valueBytes }, gone)) {
    const { name } = part;
    if (name === '') throw badValue('body', 'a name for every part of the form', undefined, 'the name of a part');
    if (part.kind === 'file') {
      // An empty field of a page's form.
      if (part.filename === '' && cameFromPage(request)) {
        part.body.resume();
        continue;
      }
      await readFile(part, reader, admission, gone);
      continue;
    }
    fieldsLeft -= part.bytes;
    if (part.truncated || fieldsLeft < 0) throw tooLong(name, valueBytes(name));
    if (part.value === '' && cameFromPage(request)) continue;
    if (reader.takesLinks(name))
      reader.addFile(reader.fileField(name, true), await admission.fetch(requireLink(name, part.value)));
    else reader.addValue(name, part.value);
  }
}

function tooLong(name: string, limit: number): EarshotError {
  const shown = shownName(name);
  const expected = `at most ${limit} bytes`;
  if (limit < fieldBytes) return badInput(shown, expected, 'more', shown);
  return new EarshotError('text_too_long', `Expected ${expected} of text for ${shown} but received more`, {
    details: { field: shown, limit },
  });
}

async function readFile(
  { name, filename, contentType, body }: FilePart,
  reader: FormReader,
  admission: Admission,
  gone: AbortSignal,
): Promise<void> {
  const field = reader.fileField(name, false);
  // The admission limits the bytes of all files together while they arrive.
  const brought = await admission.receive({ filename, contentType, body, signal: gone });
  if (body.truncated) throw new EarshotError('file_too_large', 'The file was truncated during the upload');
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
