// Calls that run several tools as one: an episode from its tracks, and any recipe or steps.
import { basename, extname } from 'node:path';
import * as Type from 'typebox/type';
import type { Static, TObject } from 'typebox/type';
import type { Engine } from '../../../library/runtime/engine/engine-types.ts';
import type { Chain } from '../../../library/runtime/chains/chain.ts';
import type { ChainOptions, ChainRun } from '../../../library/runtime/chains/chain-run.ts';
import { recipeChain, recipes, requireRecipe } from '../../../library/runtime/chains/recipes.ts';
import { customLufsRange, customLufsRule } from '../../../library/contract/loudness-target.ts';
import { lenientValues } from '../../../library/tools/lenient-values.ts';
import { requireTool } from '../../../library/tools/registry.ts';
import { measuredWords } from '../../../library/contract/assistant-answers.ts';
import { listOf } from '../../../library/tools/answer-schemas.ts';
import { jobAnswer } from './answer-schemas.ts';
import type { LocalCall, LocalDeps } from './call.ts';
import { chaptersField, jsonField, jsonShown } from './labels.ts';
import { writingCall } from './writing-call.ts';
import { answerFiles } from './written.ts';

const closed = { additionalProperties: false } as const;
const soundFormats = ['mp3', 'm4a', 'flac', 'wav', 'ogg', 'opus'];

export const episodeCalls = (deps: LocalDeps): readonly LocalCall[] => [episodeCall(deps), chainCall(deps)];

const episodeFields = {
  tracks: Type.Array(
    Type.Object(
      {
        file: Type.String(),
        role: Type.Optional(Type.Enum(['voice', 'music', 'effects'], { default: 'voice' })),
      },
      closed,
    ),
    {
      minItems: 1,
      maxItems: 10,
      description: 'One recording, or a track for each speaker that begins with the others',
    },
  ),
  title: Type.Optional(Type.String()),
  show: Type.Optional(Type.String()),
  cover: Type.Optional(Type.String({ description: 'JPEG or PNG' })),
  chapters: Type.Optional(chaptersField),
  captions: Type.Optional(Type.Boolean({ description: 'Also SRT and VTT' })),
  target: Type.Optional(Type.Enum(['podcast', 'streaming', 'broadcast', 'custom'], { default: 'podcast' })),
  custom_lufs: Type.Optional(Type.Number(customLufsRange)),
  shorten: Type.Optional(Type.Boolean({ default: true, description: 'Shorten long pauses' })),
  format: Type.Optional(Type.Enum(soundFormats, { default: 'mp3' })),
};

type AskedEpisode = Static<TObject<typeof episodeFields>>;

const episodeCall = ({ engine, folders, jobs }: LocalDeps): LocalCall =>
  writingCall(jobs, {
    name: 'make_episode',
    title: 'Make an episode',
    description:
      'Makes a finished episode of recordings: noise removed, speakers equally loud, music under voices, loudness, ' +
      'transcript, tags, cover, chapters. Times of chapters are those of the recordings. target may be LUFS (-19).',
    group: 'episode',
    fields: episodeFields,
    shown: { custom_lufs: null },
    rules: customLufsRule,
    outputSchema: jobAnswer({ steps: listOf({ type: 'object' }) }),
    async start(asked) {
      const { format = 'mp3', overwrite = false } = asked;
      const files = await Promise.all(asked.tracks.map(({ file }) => folders.file(file)));
      const cover = asked.cover === undefined ? undefined : await folders.file(asked.cover);
      const [first = ''] = files;
      const given = cover === undefined ? files : [...files, cover];
      const chain = episodeChain(asked, given.length);
      const outputDir = await folders.folderFor(first, asked.output_dir);
      const control = { outputDir, baseName: `${basename(first, extname(first))}.episode`, format, overwrite };
      return [
        { chain, files: given, control },
        async ({ signal, onProgress }) =>
          answerRun('The episode is done.', await runChainOn(engine, chain, given, { ...control, signal, onProgress })),
      ];
    },
  });

/** The recipe's chain, with captions only where they are asked for. */
function episodeChain({ tracks, captions = false, ...asked }: AskedEpisode, files: number): Chain {
  const { target, custom_lufs: lufs, shorten, title, show, cover, chapters = [] } = asked;
  const given = {
    target: target === 'custom' ? lufs : target,
    shorten,
    title,
    show,
    ...(chapters.length === 0
      ? {}
      : {
          chapters: JSON.stringify({
            chapters: chapters.map(({ at: startTime, ...named }) => ({ startTime, ...named })),
          }),
        }),
  };
  const roles = [...tracks.map(({ role = 'voice' }) => role), ...(cover === undefined ? [] : ['cover'])];
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { name, steps } = recipeChain(
    requireRecipe('podcast'),
    files,
    { ...options, roles: roles.join(',') },
    'tracks',
  );
  return {
    ...(name === undefined ? {} : { name }),
    steps: steps.map((step) =>
      requireTool(step.tool).writesText === true && !captions ? { ...step, formats: ['json', 'txt'] } : step,
    ),
  };
}

const chainStep = {
  type: 'object',
  properties: { tool: { type: 'string' }, options: jsonShown, input: { type: 'string' }, name: { type: 'string' } },
  required: ['tool'],
};

const chainCall = ({ engine, folders, jobs }: LocalDeps): LocalCall =>
  writingCall(jobs, {
    name: 'run_chain',
    title: 'Run several tools as one',
    description: 'Runs a recipe, or steps of your own, without loss between them. It takes every tool of Earshot.',
    group: 'episode',
    fields: {
      files: Type.Array(Type.String(), { minItems: 1 }),
      recipe: Type.Optional(Type.Enum(recipes.map(({ name }) => name))),
      options: Type.Optional(jsonField),
      steps: Type.Optional(
        Type.Array(Type.Unsafe<Chain['steps'][number]>({ type: 'object' }), {
          minItems: 1,
        }),
      ),
      format: Type.Optional(Type.Enum(soundFormats)),
    },
    shown: {
      options: { ...jsonShown, description: "The recipe's, as JSON" },
      steps: {
        type: 'array',
        items: chainStep,
        description: 'In place of recipe. input: files, files.2 or an earlier step',
      },
    },
    outputSchema: jobAnswer({ steps: listOf({ type: 'object' }) }),
    async start(asked) {
      const files = await Promise.all(asked.files.map((file) => folders.file(file)));
      const { format, overwrite = false } = asked;
      const outputDir = await folders.folderFor(files[0] ?? '', asked.output_dir);
      const chain =
        asked.steps === undefined
          ? recipeChain(requireRecipe(asked.recipe ?? ''), files.length, lenientOptions(asked), 'files')
          : { steps: asked.steps.map(lenientStep) };
      const control = { outputDir, overwrite, ...(format === undefined ? {} : { format }) };
      return [
        { chain, files, control },
        async ({ signal, onProgress }) =>
          answerRun('The chain is done.', await runChainOn(engine, chain, files, { ...control, signal, onProgress })),
      ];
    },
  });

/** A step whose options may be a text. */
const lenientStep = (step: Chain['steps'][number]): Chain['steps'][number] =>
  lenientValues({ options: jsonField }, { ...step }) as unknown as Chain['steps'][number];

/** Of a recipe: yes and no may come as text. */
function lenientOptions({
  recipe = '',
  options = {},
}: {
  readonly recipe?: string;
  readonly options?: Record<string, unknown>;
}) {
  const known = requireRecipe(recipe).options;
  const properties = Object.fromEntries(
    Object.entries(known).map(([name, { choices }]) => [name, choices === null ? { type: 'boolean' } : {}]),
  );
  return lenientValues(properties, options);
}

async function runChainOn(
  engine: LocalDeps['engine'],
  chain: Chain,
  files: readonly string[],
  options: ChainOptions,
): Promise<ChainRun> {
  const { runChain } = await import('../../../library/runtime/chains/run-chain.ts');
  return runChain(engine as Engine, chain, files, options);
}

async function answerRun(text: string, { outputs, steps, warnings }: ChainRun) {
  const files = outputs.map(({ path, filename, contentType, sizeBytes, durationSeconds }) => ({
    path,
    filename,
    contentType,
    sizeBytes,
    durationSeconds,
  }));
  return answerFiles(
    `${text} Files written: ${files.length}.`,
    files,
    [
      ...steps.flatMap(({ name, results }) =>
        results.flatMap((result) => measuredWords(result).map((line) => `${name}: ${line}`)),
      ),
      ...warnings.map(({ message }) => `Warning: ${message}`),
    ],
    { steps, warnings },
  );
}
