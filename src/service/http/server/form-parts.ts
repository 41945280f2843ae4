import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { jsonExcess } from '../../../library/core/json-text.ts';
import { badInput } from '../../../library/core/checks/schema.ts';

/** A part of a form with a file. */
export interface FilePart {
  readonly kind: 'file';
  /** '' if absent. */
  readonly name: string;
  /** '' if absent. */
  readonly filename: string;
  readonly contentType: string;
  readonly body: Readable & { readonly truncated: boolean };
}

/** A part of a form with a value. */
export interface ValuePart {
  readonly kind: 'value';
  /** '' if absent. */
  readonly name: string;
  /** Text, or the parsed JSON of a part of type application/json; '' where it is too long. */
  readonly value: unknown;
  readonly bytes: number;
  /** Has it more bytes than its field may have? */
  readonly truncated: boolean;
}

/**
 * The parts of a form as they arrive. Fixes the parser's types: names and filenames may be undefined.
 * @param limits most parts, and most bytes of a value by its field, asked before it is read; default: values are not
 * read
 * @param gone aborted when the client has disconnected
 * @throws EarshotError bad_request for an invalid form; errors of the connection, unchanged
 */
export async function* formParts(
  request: FastifyRequest,
  limits: { readonly parts: number; readonly valueBytes?: (name: string) => number },
  gone: AbortSignal,
): AsyncGenerator<FilePart | ValuePart, void> {
  const { parts, valueBytes = () => 0 } = limits;
  try {
    // The receiver of the files limits their bytes. Values are read as streams, too: the parser has one limit for all.
    const counted = { fileSize: Infinity, parts, files: parts, fields: parts };
    for await (const part of request.parts({ limits: counted, isPartAFile: () => true })) {
      if (part.type !== 'file') continue;
      const name = (part.fieldname as string | undefined) ?? '';
      const filename = part.filename as string | undefined;
      const { mimetype: contentType, file: body } = part;
      if (filename !== undefined || contentType === 'application/octet-stream')
        yield { kind: 'file', name, filename: filename ?? '', contentType, body };
      else yield await readValue(name, body, contentType, valueBytes(name));
    }
  } catch (thrown) {
    throw asFormError(thrown, parts, gone);
  }
}

async function readValue(name: string, body: Readable, contentType: string, mostBytes: number): Promise<ValuePart> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest is read and dropped: a destroyed part would end the form.
    if (bytes <= mostBytes) chunks.push(chunk);
    else if (mostBytes > 0 && bytes - mostBytes > mostDroppedBytes) break;
  }
  if (bytes > mostBytes) return { kind: 'value', name, value: '', bytes, truncated: true };
  const text = Buffer.concat(chunks).toString();
  if (!contentType.startsWith('application/json')) return { kind: 'value', name, value: text, bytes, truncated: false };
  const bounded = jsonExcess(text);
  if (bounded !== undefined) throw badInput(name || 'body', bounded, 'more', name || 'a part of the form');
  return { kind: 'value', name, value: parseJson(text), bytes, truncated: false };
}

/** How much of a value that is too long is read before the form is refused. */
const mostDroppedBytes = 64 * 1024;

function parseJson(text: string): unknown {
  try {
    if (!text.includes('__proto__')) return JSON.parse(text);
  } catch {
    // Refused below.
  }
  throw new EarshotError('bad_request', 'The form cannot be read: a part of type application/json is no valid JSON');
}

/** Maps errors of the parser; errors of the connection are unchanged. */
function asFormError(thrown: unknown, mostParts: number, gone: AbortSignal): unknown {
  if (thrown instanceof EarshotError || gone.aborted || !(thrown instanceof Error)) return thrown;
  const { code } = thrown as { code?: unknown };
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return badInput('body', `at most ${mostParts} parts`, 'more', 'the form');
  const ofForm =
    (typeof code === 'string' && code.startsWith('FST_')) ||
    /multipart|boundary|part terminated|form/i.test(thrown.message);
  return ofForm
    ? new EarshotError('bad_request', `The form cannot be read: ${thrown.message}`, { cause: thrown })
    : thrown;
}
