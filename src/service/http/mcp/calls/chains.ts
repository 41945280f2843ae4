import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOptionsParser } from '../../../../library/core/checks/schema.ts';
import { lenientValues } from '../../../../library/tools/lenient-values.ts';
import type { AssistantAnswer } from '../../../../library/contract/assistant-answers.ts';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { canonicalJson } from '../../../rules/jobs/request-hash.ts';
import type { ChainView } from '../../../rules/chains/chains.ts';
import type { Service } from '../../../rules/service.ts';
import { chainOrder, chainRecord, chainRequest } from '../../interface/chain-records.ts';
import type { ChainRequestBody } from '../../interface/chain-schemas.ts';
import { type Call, type CallContext, making } from './call.ts';
import { requireConsent } from './consent.ts';
import { linkOf, mostWaitSeconds, usualWaitSeconds } from './waiting.ts';
import { chainWords, withResults } from './words.ts';
import { chainAnswer } from './answer-schemas.ts';
import { awaitTracks, coverOf, episodeShown, orderOfEpisode, parseEpisode } from './episode.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

/** Also without what it holds: the planner checks it, and says what is wrong. */
const chainField = Type.Unsafe<Static<typeof ChainRequestBody>['chain']>({
  type: 'object',
  description:
    'In place of recipe: {steps: [{tool, options, input}]}; input: files, or an earlier step; default: the sound before',
});

/** Gemini takes no object that does not name its fields, so those of any field are shown as texts. */
const shownAsText = (fields: Readonly<Record<string, Type.TSchema>>): Readonly<Record<string, Type.TSchema>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { type }]: [string, { type?: unknown }]) => type === 'object')
      .map(([name, { description }]: [string, { description?: string }]) => [
        name,
        Type.Optional(Type.String({ description: `JSON. ${description ?? ''}` })),
      ]),
  );

/** How often a chain is looked at during a wait. */
const lookMs = 500;

/** How many times an identical call that failed gets a new idempotency key. */
const mostTries = 100;

/** The call for several tools as one. */
export function chainCalls({ service, config }: DialectDeps): readonly Call[] {
  const { chains } = service;
  const fields = {
    file_ids: Type.Array(Type.String()),
    recipe: Type.Optional(Type.String({ description: 'Or the name of a preset' })),
    options: Type.Optional(Type.Unsafe<object>({ type: 'object', description: optionWords(chains.recipes) })),
    chain: Type.Optional(chainField),
    format: Type.Optional(Type.String()),
    max_credits: Type.Optional(Type.Integer()),
    wait: Type.Optional(Type.Number()),
  };
  /** `instructions` has most of these, for all tools. */
  const bounded = {
    format: Type.Optional(Type.Enum(['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'])),
    idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    max_credits: Type.Optional(Type.Integer({ minimum: 1 })),
    wait: Type.Optional(Type.Number({ minimum: 0, maximum: mostWaitSeconds })),
  };
  const parse = createOptionsParser<Parameters<typeof chainRequest>[0] & { readonly wait?: number }>(
    'run_chain',
    Type.Object({ ...fields, ...bounded }, { additionalProperties: false }),
  );

  async function start(body: Parameters<typeof chainRequest>[0], context: CallContext): Promise<ChainView> {
    const { account } = context;
    if (body.max_credits === undefined) {
      const { name, credits } = await chains.quote(account, chainOrder(body));
      await requireConsent(config, context, { title: `The chain ${name}`, credits, hasFree: false });
    }
    for (let tries = 1; ; tries += 1) {
      const key = body.idempotency_key ?? keyOf(body, tries);
      const view = await chains.create(account, chainRequest({ ...body, idempotency_key: key }, null));
      // A repeated call returns the same chain, unless it came to nothing.
      const cameToNothing = view.chain.status === 'failed' || view.chain.status === 'cancelled';
      if (body.idempotency_key !== undefined || !cameToNothing || tries === mostTries) return view;
    }
  }

  async function run({ wait = usualWaitSeconds, ...body }: ReturnType<typeof parse>, context: CallContext) {
    const { chain } = await start(body, context);
    return answerChain(service, await waitForChain(service, chain.id, wait, context), context);
  }

  return [
    {
      name: 'make_episode',
      title: 'Make an episode',
      description:
        'Makes a finished episode of recordings: noise removed, speakers equally loud, music under voices, loudness, ' +
        'transcript and captions, title, cover, chapters. Times of chapters are those of the recordings. target may be ' +
        'LUFS (-19).',
      inputSchema: episodeShown,
      outputSchema: chainAnswer,
      group: 'episode',
      usual: true,
      annotations: { ...making, openWorldHint: true },
      async run(given, context) {
        const episode = parseEpisode(given);
        await awaitTracks(service.files, episode, context);
        const cover = episode.cover === undefined ? null : await coverOf(service.files, episode.cover, context);
        return run(orderOfEpisode(episode, cover), context);
      },
    },
    {
      name: 'run_chain',
      title: 'Run several tools as one',
      description:
        'Runs a recipe, or steps of your own, without loss between them. podcast makes an episode, audiobook a chapter ' +
        'for ACX, subtitles captions.',
      inputSchema: Type.Object({ ...fields, ...shownAsText(fields) }, { additionalProperties: false }),
      outputSchema: chainAnswer,
      group: 'episode',
      usual: true,
      annotations: making,
      run: (given, context) => run(parse(lenientValues(fields, given), 'json'), context),
    },
  ];
}

/** "podcast: target (podcast, streaming, broadcast), shorten" */
const optionWords = (recipes: Service['chains']['recipes']): string =>
  recipes
    .filter(({ options }) => Object.keys(options).length > 0)
    .map(
      ({ name, options }) =>
        `${name}: ${Object.entries(options)
          .map(([option, { choices }]) =>
            choices === null || choices.length === 0 ? option : `${option} (${choices.join(', ')})`,
          )
          .join(', ')}`,
    )
    .join('; ');

/** The chain once it has ended, or after the wait. Reports progress meanwhile. */
export async function waitForChain(
  { chains, tools }: Pick<Service, 'chains' | 'tools'>,
  id: string,
  waitSeconds: number,
  { account, signal, progress }: CallContext,
): Promise<ChainView> {
  for (const end = performance.now() + waitSeconds * 1000; ;) {
    const view = await chains.get(account, id);
    const left = end - performance.now();
    if (view.chain.finishedAt !== null || left <= 0 || signal.aborted) return view;
    const shown = chainRecord(view, tools);
    progress(shown.progress, shown.stage);
    await sleep(Math.min(lookMs, left), undefined, { signal }).catch(() => undefined);
  }
}

/** A chain with links to its results. */
export async function answerChain(
  service: Pick<Service, 'files' | 'tools'>,
  view: ChainView,
  { account }: Pick<CallContext, 'account'>,
): Promise<AssistantAnswer> {
  const links = await Promise.all(
    view.outputs.map(async (file) => linkOf(file, (await service.files.downloadLink(account, file.id)).url)),
  );
  const data = chainRecord(view, service.tools);
  return { ...withResults(chainWords(data, view.outputs), links, null), data, links };
}

const keyOf = (body: object, tries: number): string =>
  `mcp-${createHash('sha256')
    .update(canonicalJson({ chain: body, tries }))
    .digest('hex')
    .slice(0, 40)}`;
