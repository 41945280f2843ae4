// The file that `earshot exec` runs, and its schema.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as Type from 'typebox/type';
import { createOptionsParser } from '../../library/core/checks/schema.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { shortPath } from '../../library/core/files/short-path.ts';
import type { JsonObject } from '../../library/core/json.ts';
import type { Chain } from '../../library/runtime/chains/chain.ts';

/** A tool or a chain, its files, and where the results go. */
export interface ExecJob {
  /** Id or slug of a tool. */
  readonly tool?: string;
  /** Name of a recipe, or steps. */
  readonly chain?: string | Chain;
  /** Of the tool, or of the recipe. */
  readonly options?: JsonObject;
  /** Paths, links and s3:// addresses; of a tool with several fields by field. */
  readonly inputs: readonly string[] | Readonly<Record<string, string | readonly string[]>>;
  /** Folder, s3://bucket/folder/, or a link for PUTs with {name}. */
  readonly output: string;
  /** Of a tool that writes text. */
  readonly formats?: readonly string[];
  /** Of the sound that a chain makes. */
  readonly format?: string;
  /** File that a later run of the same job reads. */
  readonly checkpoint?: string;
}

const place = Type.String({ minLength: 1, maxLength: 4000 });

/** JSON Schema of a job. */
export const execSchema: object = Type.Object(
  {
    $schema: Type.Optional(Type.String({ maxLength: 400 })),
    tool: Type.Optional(Type.String({ maxLength: 40, description: 'Id or slug of a tool' })),
    chain: Type.Optional(
      Type.Unsafe<string | Chain>({
        description: 'podcast, audiobook or subtitles; or an object with steps',
        anyOf: [{ type: 'string', maxLength: 40 }, { type: 'object' }],
      }),
    ),
    options: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Of the tool or the recipe' })),
    inputs: Type.Unsafe<ExecJob['inputs']>({
      description: 'Paths, links or s3://bucket/key; by field where a tool has several',
      anyOf: [
        { type: 'array', items: place, minItems: 1 },
        {
          type: 'object',
          additionalProperties: { anyOf: [place, { type: 'array', items: place, minItems: 1 }] },
          minProperties: 1,
        },
      ],
    }),
    output: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'A folder, s3://bucket/folder/, or a link for a PUT of each result, with {name} in it',
    }),
    formats: Type.Optional(Type.Array(Type.String({ maxLength: 10 }), { minItems: 1 })),
    format: Type.Optional(Type.String({ maxLength: 10, description: 'Of the sound that a chain makes' })),
    checkpoint: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4000, description: 'A file that a later run of this job goes on from' }),
    ),
  },
  { additionalProperties: false },
);

const parse = createOptionsParser<ExecJob>('the job', execSchema);

/** @throws EarshotError bad_request, not_found */
export async function readJob(path: string): Promise<{ readonly job: ExecJob; readonly hash: string }> {
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw pathError(thrown, path, 'input');
  });
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (thrown) {
    throw new EarshotError('bad_request', `Expected JSON in ${shortPath(path)} but ${(thrown as Error).message}`);
  }
  const job = parse(given, 'json');
  if ((job.tool === undefined) === (job.chain === undefined))
    throw new EarshotError('bad_request', 'Expected either tool or chain in the job', {
      nextAction: 'A job is {"tool": "loudness", "inputs": ["talk.wav"], "output": "finished/"}; see docs/engines.md.',
    });
  return { job, hash: createHash('sha256').update(JSON.stringify(given)).digest('hex') };
}
