// The shapes of chains, which the contract does not have: all of it are additions.
import * as Type from 'typebox/type';
import type { TSchema } from 'typebox/type';
import { FileRecord, integer, list, nullable, number, problem, record, ref, text, time, toolId } from './schemas.ts';

const anyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });
const closed = { additionalProperties: false } as const;

const ChainStep = Type.Object(
  {
    tool: Type.String({ maxLength: 40, description: 'Id or command of a tool: adjust_loudness, loudness' }),
    name: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'By which later steps call it. Default: the command of its tool, numbered where it repeats',
      }),
    ),
    input: Type.Optional(
      Type.Unsafe<string | readonly string[] | Readonly<Record<string, string | readonly string[]>>>({
        description:
          'files (those of the chain), files.2 (the second), an earlier step, a list of them, or these by input field. ' +
          'Default: the sound of the step before',
      }),
    ),
    options: Type.Optional(anyObject('Options of the tool, as in its job')),
    formats: Type.Optional(
      Type.Array(Type.String({ maxLength: 10 }), { minItems: 1, description: 'Of a transcript: json, srt, vtt, txt' }),
    ),
    keep: Type.Optional(Type.Boolean({ description: 'true: its files are results although a later step takes them' })),
  },
  closed,
);

const ChainData = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 40, description: 'In the names of results. Default: chain' })),
    steps: Type.Array(ChainStep, { minItems: 1, maxItems: 20 }),
  },
  closed,
);

const what = {
  recipe: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'A chain that comes with Earshot: podcast, audiobook, subtitles; or a preset of the account',
    }),
  ),
  options: Type.Optional(anyObject('Of the recipe; GET /api/v1/chains/recipes lists them')),
  chain: Type.Optional(
    Type.Object(ChainData.properties, { ...closed, description: 'A chain of your own, in place of recipe' }),
  ),
  file_ids: Type.Array(Type.String({ maxLength: 100, pattern: '^file_[0-9A-Za-z]+$' }), {
    minItems: 1,
    maxItems: 20,
    description: 'What the chain works on, in order',
  }),
  format: Type.Optional(
    Type.Enum(['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'], {
      description: 'Of the resulting sound. Default: as the recipe says, or as the first file',
    }),
  ),
};

/** Body of a quote. */
export const ChainQuoteRequest = Type.Object(what, { ...closed, $id: 'ChainQuoteRequest' });

/** Body that starts a chain. */
export const ChainRequestBody = Type.Object(
  {
    ...what,
    settle: Type.Optional(
      Type.Enum(['whole', 'steps'], {
        default: 'whole',
        description:
          'Of a chain that fails or is cancelled: whole: it gives nothing and costs nothing; steps: it gives what the ' +
          'finished steps made, and costs what they cost',
      }),
    ),
    max_credits: Type.Optional(
      Type.Integer({ minimum: 1, description: 'A chain that could cost more does not start' }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The same key with the same request answers the same chain. The header Idempotency-Key can replace it',
      }),
    ),
  },
  { ...closed, $id: 'ChainRequest' },
);

const states = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
const warnings = Type.Array(record({ code: text('Code of the warning'), message: text('The warning as text') }));

const ChainStepRecord = record(
  {
    name: text('As the chain calls it'),
    tool: toolId,
    status: Type.Enum(['waiting', ...states], { description: 'waiting: for the steps before it' }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: '0 to 1, of all its runs' }),
    results: Type.Array(
      Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
      {
        description:
          'What the tool measured, a result for each of its runs (a tool that takes one file runs once for each); ' +
          'null as in jobs',
      },
    ),
    processedSeconds: nullable(number('Seconds that all its runs processed; null until it has succeeded')),
    credits: nullable(integer('Its price by what it processed; null until it has succeeded')),
    warnings,
    error: problem,
  },
  { $id: 'ChainStep' },
);

/** A chain, as clients see it. */
export const ChainRecord = record(
  {
    id: Type.String({ pattern: '^chain_[0-9A-Za-z]+$', maxLength: 100, description: 'Identifier of the chain' }),
    name: text('In the names of its results'),
    recipe: nullable(text('The recipe that it was made of; null: a preset, or a chain of your own')),
    status: Type.Enum([...states], { description: 'succeeded, failed and cancelled are final' }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: '0 to 1, of the whole; never falls' }),
    stage: text('The current step and its stage'),
    estimatedSecondsLeft: nullable(number('Estimate in seconds; null until there is one')),
    steps: Type.Array(ref(ChainStepRecord)),
    outputs: Type.Array(ref(FileRecord), {
      description: 'Its results, the sound first; of a chain that ended early with settle steps: what was made by then',
    }),
    settle: Type.Enum(['whole', 'steps']),
    price: integer('Credits that are reserved until it ends: the most that it costs'),
    charged: nullable(integer('Credits that it cost; null until it ends')),
    failedStep: nullable(text('The step at which it failed or was cancelled; null: none')),
    error: problem,
    warnings,
    createdAt: time('Time of creation, ISO 8601'),
  },
  { $id: 'Chain' },
);
export const ChainList = list(ChainRecord, 'ChainList');

const StepPrice = record(
  {
    name: text('By which the chain calls it'),
    tool: toolId,
    seconds: integer('Billed length at most'),
    credits: integer('Its price at most'),
  },
  { $id: 'ChainStepPrice' },
);
/** What a chain would cost. */
export const ChainQuoteRecord = record(
  {
    name: text('Of the chain'),
    credits: integer('The most that it costs: the sum of its steps at the length of the files'),
    steps: Type.Array(ref(StepPrice)),
  },
  { $id: 'ChainQuote' },
);

const Recipe = record(
  {
    name: text('By which it is run'),
    description: text('What it does'),
    minFiles: integer('Least count of files'),
    maxFiles: integer('Largest count of files'),
    options: Type.Unsafe<
      Record<
        string,
        { description: string; choices: readonly string[] | null; perFile: boolean; default: string | boolean }
      >
    >({
      type: 'object',
      description: 'Its choices, by name in lower case',
      additionalProperties: {
        type: 'object',
        properties: {
          description: { type: 'string', description: 'What it does, in a few words' },
          choices: {
            type: ['array', 'null'],
            items: { type: 'string' },
            description: 'null: true or false; none: any text',
          },
          perFile: {
            type: 'boolean',
            description: 'true: a value for each file, separated by commas; one alone counts for all',
          },
          default: { type: ['string', 'boolean'], description: 'What counts where it is not given' },
        },
        required: ['description', 'choices', 'perFile', 'default'],
      },
    }),
  },
  { $id: 'Recipe' },
);
/** The chains that come with Earshot. */
export const RecipeList = record({ data: Type.Array(ref(Recipe)) }, { $id: 'RecipeList' });

/** A chain that an account saved. */
export const PresetRecord = record(
  {
    name: text('By which it is run, in place of a recipe'),
    chain: anyObject('Name and steps, as in POST /api/v1/chains'),
    createdAt: time('Time of creation, ISO 8601'),
  },
  { $id: 'ChainPreset' },
);
/** Body that saves a preset. */
export const SavePresetRequest = Type.Object(
  { chain: Type.Object(ChainData.properties, { ...closed, description: 'The steps' }) },
  { ...closed, $id: 'SavePresetRequest' },
);
/** The account's presets. */
export const PresetList = record({ data: Type.Array(ref(PresetRecord)) }, { $id: 'ChainPresetList' });

export const chainComponents: readonly TSchema[] = [
  ChainQuoteRequest,
  ChainRequestBody,
  ChainStepRecord,
  ChainRecord,
  ChainList,
  StepPrice,
  ChainQuoteRecord,
  Recipe,
  RecipeList,
  PresetRecord,
  SavePresetRequest,
  PresetList,
];
