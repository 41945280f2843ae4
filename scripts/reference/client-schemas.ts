// The schemas of openapi.json as the writers of clients read them: which are records, what they are called, and what is
// said of each member.
import { type DocumentSchema, openapiDocument } from './openapi-document.ts';

export const { components } = await openapiDocument();

/** Schemas whose names would be taken for something else. */
export const renamed: Readonly<Record<string, string>> = { File: 'FileRecord', Tool: 'ToolDescriptor' };
export const records = ['File', 'Upload', 'MultipartUpload', 'CreatedFile', 'DownloadLink', 'Quote', 'Job', 'Account'];
records.push('LedgerEntry', 'AutoRefill', 'Tool', 'Peaks', 'Transcript', 'PartLinks');
/** In a file of their own, which would be too long with the others. */
export const chainRecords = ['ChainStep', 'Chain', 'ChainQuote', 'Recipe'];
/** Enumerations that have a name of their own, by one of their values. */
export const namedEnums: Readonly<Record<string, string>> = { remove_noise: 'ToolId', bad_request: 'ErrorCode' };
/** What the client says itself. */
export const ownFields: readonly string[] = ['tool', 'idempotency_key'];

function rangeOf({
  minimum,
  exclusiveMinimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
}: DocumentSchema): string {
  const between = (least: number | undefined, most: number | undefined, what: string): string => {
    const open = most === undefined || most >= Number.MAX_SAFE_INTEGER;
    if (least === undefined && open) return '';
    return open
      ? ` At least ${least}${what}.`
      : least === undefined
        ? ` At most ${most}${what}.`
        : ` ${least} to ${most}${what}.`;
  };
  if (exclusiveMinimum !== undefined) return ` Above ${exclusiveMinimum}.`;
  return (
    between(minimum, maximum, '') + between(minLength, maxLength, ' characters') + between(minItems, maxItems, ' items')
  );
}

/** What a member is for, its range and its default, in one line. */
export function docOf(schema: DocumentSchema, input: boolean): string {
  const { description = '' } =
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1)!] ?? {});
  const said = description === '' ? '' : /[.?]$/.test(description) ? description : `${description}.`;
  const range = input && schema.pattern === undefined ? rangeOf(schema) : '';
  return `${said}${range}${schema.default === undefined ? '' : ` Default: ${JSON.stringify(schema.default)}.`}`.trim();
}

/** What each record is, in a line. */
export const titles: Readonly<Record<string, string>> = {
  File: 'A file of the account: an upload, or an output of a job.',
  Upload: 'Where to send a file in one PUT.',
  MultipartUpload: 'Where to send a file in parts.',
  CreatedFile: 'A new file, and how its bytes get there.',
  DownloadLink: 'A link to the bytes of a file; it works without credentials.',
  Quote: 'What a job would cost.',
  Job: 'A tool that runs, or has run.',
  Account: 'Balance, prices and limits.',
  LedgerEntry: 'Something that changed the balance.',
  AutoRefill: 'How the balance refills itself; null where nothing is set.',
  Tool: 'A tool with its price, its free allowance and its input.',
  Peaks: 'The waveform of a file, for drawing.',
  Transcript: 'A window of a transcript.',
  ChainStep: 'A step of a chain.',
  Chain: 'Several tools as one, which run, or have run.',
  ChainQuote: 'What a chain would cost at most.',
  Recipe: 'A chain that comes with Earshot.',
  PartLinks: 'Links with which parts go straight to the object store; none where all go through the service.',
};

/** The tools, by the schemas of their jobs. */
export const toolJobs = Object.entries(components.schemas).flatMap(([name, schema]) => {
  const id = schema.properties?.['tool']?.const;
  return typeof id === 'string' ? [{ id, name: `${name.replace(/Job$/, '')}Inputs`, schema }] : [];
});
export const toolIds = components.schemas['Quote']?.properties?.['tool']?.enum ?? [];
export const errorCodes = components.schemas['Error']?.properties?.['error']?.properties?.['code']?.enum ?? [];
