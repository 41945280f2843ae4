import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors.ts';
import { isTooDeep, mostLevels } from '../../../library/core/json.ts';
import { badValue } from '../../../library/core/schema.ts';

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
  /** Text, or the parsed JSON of a part of type application/json. */
  readonly value: unknown;
  readonly bytes: number;
  readonly truncated: boolean;
}

/**
 * The parts of a form as they arrive. Fixes the parser's types: names and filenames may be undefined.
 * @param limits most parts, and most bytes of a value
 * @param gone aborted when the client has disconnected
 * @throws EarshotError bad_request for an invalid form; errors of the connection, unchanged
 */
export async function* formParts(
  request: FastifyRequest,
  limits: { readonly parts: number; readonly valueBytes?: number },
  gone: AbortSignal,
): AsyncGenerator<FilePart | ValuePart, void> {
  const { parts, valueBytes } = limits;
  try {
    // The receiver of the files limits their bytes.
    const counted = { fileSize: Infinity, parts, files: parts, fields: parts };
    for await (const part of request.parts({
      limits: valueBytes === undefined ? counted : { ...counted, fieldSize: valueBytes },
    })) {
      const name = (part.fieldname as string | undefined) ?? '';
      if (part.type === 'file') {
        const filename = (part.filename as string | undefined) ?? '';
        yield { kind: 'file', name, filename, contentType: part.mimetype, body: part.file };
        continue;
      }
      const { value } = part;
      if (isTooDeep(value))
        throw badValue(name || 'body', `JSON of at most ${mostLevels} levels`, 'more', name || 'a part of the form');
      yield {
        kind: 'value',
        name,
        value,
        bytes: Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
        truncated: (part as { valueTruncated?: boolean }).valueTruncated === true,
      };
    }
  } catch (thrown) {
    throw asFormError(thrown, parts, gone);
  }
}

/** Maps errors of the parser; errors of the connection are unchanged. */
function asFormError(thrown: unknown, mostParts: number, gone: AbortSignal): unknown {
  if (thrown instanceof EarshotError || gone.aborted || !(thrown instanceof Error)) return thrown;
  const { code } = thrown as { code?: unknown };
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return badValue('body', `at most ${mostParts} parts`, 'more', 'the form');
  const ofForm =
    (typeof code === 'string' && code.startsWith('FST_')) ||
    /multipart|boundary|part terminated|form/i.test(thrown.message);
  return ofForm
    ? new EarshotError('bad_request', `The form cannot be read: ${thrown.message}`, { cause: thrown })
    : thrown;
}
