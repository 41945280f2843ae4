import type { JsonObject } from '../../../library/core/json.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue, type OptionSchema } from '../../../library/core/checks/schema.ts';
import type { LegacyJobRequest } from '../../rules/legacy-jobs/legacy-job-use-cases.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';
import { parseJobOptions } from '../../offers/job-options.ts';

/** Slug of the only tool of this API. */
const slug = 'remove-noise';

/** The tool's option names by field of this API. */
const optionNames = { noiseReductionAmount: 'noise_reduction', autoVolume: 'auto_volume' } as const;
const formatOption = 'output_format';
/** The choice that keeps the input's format. */
const same = 'same';

const longestInput = 4000;

/** @throws TypeError when no such tool is declared */
export function noiseTool(tools: readonly AnyTool[]): AnyTool {
  const tool = tools.find((each) => each.slug === slug);
  if (tool === undefined) throw new TypeError(`The older API needs the tool ${slug}`);
  return tool;
}

/**
 * Reads the body of POST /remove-noise. For existing clients, null counts as absent and unknown fields are ignored.
 * @throws EarshotError bad_request
 */
export function readJob(body: unknown, tool: AnyTool): LegacyJobRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badValue('body', 'a JSON object', body ?? undefined, 'the body');
  const fields = body as Readonly<Record<string, unknown>>;
  const input = textOf(fields, 'input');
  if (input === null) throw badValue('input', 'id of an uploaded file, or link to fetch it from', undefined);
  const extension = textOf(fields, 'outputExtension');
  const [format, ownFormat] = extension === null ? [same, null] : readExtension(extension, tool);
  return {
    tool: tool.id,
    field: Object.keys(tool.inputs)[0] ?? '',
    options: parse(fields, format, tool),
    ownFormat,
    input,
    output: textOf(fields, 'output'),
  };
}

function textOf(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '' && value.length <= longestInput)) return value;
  throw badValue(name, `string of 1 to ${longestInput} characters`, value);
}

/** Also accepts ".MP3", and other formats than the tool's, which must then be the input's own. */
function readExtension(given: string, tool: AnyTool): readonly [format: string, ownFormat: string | null] {
  const extension = given.trim().replace(/^\./, '').toLowerCase();
  const { properties = {} } = tool.options as { readonly properties?: Readonly<Record<string, OptionSchema>> };
  const formats = properties[formatOption]?.enum ?? [];
  if (formats.includes(extension)) return [extension, null];
  if (/^[a-z0-9]{1,10}$/.test(extension)) return [same, extension];
  throw badValue('outputExtension', `one of ${formats.filter((each) => each !== same).join(', ')}`, given);
}

function parse(fields: Readonly<Record<string, unknown>>, format: string, tool: AnyTool): JsonObject {
  const options: Record<string, unknown> = { [formatOption]: format };
  for (const [name, option] of Object.entries(optionNames)) {
    const value = fields[name] ?? null;
    // autoVolume is not part of the contract: other types than boolean are ignored.
    if (value === null || (name === 'autoVolume' && typeof value !== 'boolean')) continue;
    options[option] = value;
  }
  try {
    return parseJobOptions(tool, options) as JsonObject;
  } catch (thrown) {
    if (!(thrown instanceof EarshotError)) throw thrown;
    throw new EarshotError(thrown.code, inOlderNames(thrown.message));
  }
}

const inOlderNames = (message: string): string =>
  Object.entries(optionNames).reduce((text, [name, option]) => text.replaceAll(option, name), message);

/** Replaces the extension by the one of the query: "?inputExt=mp3". */
export function withExtension(filename: string, inputExt: unknown): string {
  if (inputExt === undefined || inputExt === null || inputExt === '') return filename;
  const extension = typeof inputExt === 'string' ? inputExt.trim().replace(/^\./, '').toLowerCase() : '';
  if (!/^[a-z0-9]{1,10}$/.test(extension)) throw badValue('inputExt', 'file extension such as mp3', inputExt);
  const stem = filename.replace(/\.[^./\\]*$/, '');
  return `${stem === '' ? 'upload' : stem}.${extension}`;
}
