import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { Admission } from '../../rules/free-runs/free-run-use-cases.ts';
import { streamBody, typeAsSent } from '../server/bodies.ts';
import type { ToolForm } from '../interface/tool-form.ts';
import { type FormReader, requireLink } from './form.ts';

/** The content type of `curl -d` and `--data-binary` for any body. */
const urlencoded = /^application\/x-www-form-urlencoded\b/i;
/** Limit of a body of fields without a file. */
const fieldsBytes = 64 * 1024;
/** Enough bytes for the longest field name and its '='. */
const enoughToTell = 64;

/**
 * Reads a body that is the file itself (`curl --data-binary @talk.wav`), with options, links of further files and
 * `filename` in the query. Or a body of fields only (`curl -d url=https://...`).
 */
export async function readRawBody(
  request: FastifyRequest,
  reply: FastifyReply,
  form: ToolForm,
  reader: FormReader,
  admission: Admission,
  gone: AbortSignal,
): Promise<void> {
  const { filename, ...fields } = request.query as Readonly<Record<string, unknown>>;
  const name = filename ?? '';
  if (typeof name !== 'string') throw badValue('filename', 'one value', 'several', 'filename in the query');
  // Validate the query before reading the body.
  const links = addFields(reader, Object.entries(fields).flatMap(asPairs));
  const [main] = form.files;
  if (main === undefined) throw badValue('body', 'no body', 'a file', form.tool.slug);
  const { first, whole } = await begin(streamBody(request, reply));
  const names = new Set([...form.files.map(({ name }) => name), ...form.options, 'format', 'free', 'max_credits']);
  const named = /^([a-z_]+)=/.exec(first.toString('latin1', 0, enoughToTell))?.[1] ?? '';
  if (urlencoded.test(typeAsSent(request) ?? '') && names.has(named)) {
    const text = (await buffer(upTo(whole, fieldsBytes))).toString();
    links.push(...addFields(reader, [...new URLSearchParams(text)]));
  } else {
    const field = reader.fileField(main.name, false);
    const type = typeAsSent(request);
    const contentType = type === null || urlencoded.test(type) ? null : type;
    reader.addFile(field, await admission.receive({ filename: name, contentType, body: whole, signal: gone }));
  }
  for (const [name, link] of links)
    reader.addFile(reader.fileField(name, true), await admission.fetch(requireLink(name, link)));
}

const asPairs = ([name, value]: [string, unknown]): (readonly [string, unknown])[] =>
  [value].flat().map((each) => [name, each] as const);

/** Adds the options; returns the links, which are added after the file. */
function addFields(
  reader: FormReader,
  pairs: readonly (readonly [name: string, value: unknown])[],
): (readonly [name: string, link: unknown])[] {
  const links = pairs.filter(([name]) => reader.takesLinks(name));
  for (const [name, value] of pairs) if (!reader.takesLinks(name)) reader.addValue(name, value);
  return links;
}

/** Reads the first bytes of a body; `whole` is the body with them. */
async function begin(body: Readable): Promise<{ readonly first: Buffer; readonly whole: Readable }> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes < enoughToTell;) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    pieces.push(value);
    bytes += value.length;
  }
  const first = Buffer.concat(pieces);
  async function* all(): AsyncGenerator<Buffer> {
    if (first.length > 0) yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { first, whole: Readable.from(all(), { objectMode: false }) };
}

async function* upTo(body: Readable, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most)
      throw new EarshotError('text_too_long', `Expected at most ${most} bytes of fields but received more`, {
        nextAction: 'Send a form (multipart/form-data).',
      });
    yield chunk;
  }
}
