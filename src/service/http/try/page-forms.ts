// Forms as browsers send them without a script: every field is sent, even empty ones, and people expect a page as the
// answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OptionSchema } from '../../../library/core/checks/schema.ts';
import { parseChapters, parseTimeRanges } from '../../../site/time-ranges.ts';
import type { FreeRunView } from '../../rules/free-runs/free-run-use-cases.ts';
import { isChapters, type ToolForm } from '../interface/tool-form.ts';
import type { FormReader } from './form.ts';

/** Was it sent by a form in a browser? Programs do not accept HTML. */
export const cameFromPage = ({ headers, method }: FastifyRequest): boolean =>
  method === 'POST' &&
  headers.accept?.includes('text/html') === true &&
  headers['content-type']?.startsWith('multipart/form-data') === true;

/** Redirects to the page of the run, whose link is the credential. */
export function answerPage(reply: FastifyReply, { statusUrl }: FreeRunView, rootPath = ''): FastifyReply {
  const { pathname, search } = new URL(statusUrl);
  return reply
    .header('cache-control', 'no-store')
    .redirect(`${rootPath}/runs/${pathname.split('/').at(-1)}${search}`, 303);
}

/**
 * A reader for HTML forms. An unticked box sends nothing, so a hidden field of the same name before it sends false, and
 * the last one counts. Lists have one entry per line.
 */
export function asPageSends({ tool }: ToolForm, reader: FormReader): FormReader {
  const { properties = {} } = tool.options as { readonly properties?: Readonly<Record<string, OptionSchema>> };
  const boxes = new Map<string, unknown>();
  return {
    ...reader,
    addValue(name, value) {
      const schema = properties[name];
      if (schema?.type === 'boolean') boxes.set(name, value);
      else if (schema?.type === 'array' && typeof value === 'string' && !value.trimStart().startsWith('['))
        reader.addValue(name, JSON.stringify(listOf(schema, value)));
      else reader.addValue(name, value);
    },
    finish() {
      for (const [name, value] of boxes) reader.addValue(name, value);
      return reader.finish();
    },
  };
}

const listOf = (schema: OptionSchema, text: string): readonly unknown[] => {
  const { items } = schema;
  if (isChapters(schema)) return parseChapters(text);
  const item = Array.isArray(items) ? undefined : (items as OptionSchema | undefined);
  if (item?.type === 'array') return parseTimeRanges(text);
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
};
