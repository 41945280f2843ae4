// Forms as browsers send them without a script: every field comes, also those that were left empty, and people want a
// page for an answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OptionSchema } from '../../../library/core/schema.ts';
import { parseTimeRanges } from '../../../site/time-ranges.ts';
import type { FreeRunView } from '../../rules/free-run-use-cases.ts';
import type { ToolForm } from '../interface/tool-form.ts';
import type { FormReader } from './form.ts';

/** Was it sent by a page of a browser, as a form? Programs do not ask for HTML. */
export const cameFromPage = ({ headers, method }: FastifyRequest): boolean =>
  method === 'POST' &&
  headers.accept?.includes('text/html') === true &&
  headers['content-type']?.startsWith('multipart/form-data') === true;

/** To the page of the run, which is found by its link alone. */
export function answerPage(reply: FastifyReply, { statusUrl }: FreeRunView, rootPath = ''): FastifyReply {
  const { pathname, search } = new URL(statusUrl);
  return reply
    .header('cache-control', 'no-store')
    .redirect(`${rootPath}/runs/${pathname.split('/').at(-1)}${search}`, 303);
}

/**
 * A reader that takes what a form can send. A box that is not ticked sends nothing: a hidden field of the same name
 * before it says false, and the last one counts. Lists are written one entry a line.
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

const listOf = ({ items }: OptionSchema, text: string): readonly unknown[] => {
  const item = Array.isArray(items) ? undefined : (items as OptionSchema | undefined);
  if (item?.type === 'array') return parseTimeRanges(text);
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
};
