// What the pages of chains say of one: its steps, its results, what was measured.
import type { Static } from 'typebox/type';
import { html, type Html } from '../../../../library/core/markup.ts';
import { chainFiles, fileNumber } from '../../../../library/contract/chain-calls.ts';
import type { ChainView } from '../../../rules/chains/chains.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import { chainRecord } from '../../interface/chain-records.ts';
import type { ChainRecord } from '../../interface/chain-schemas.ts';
import { timeOf } from './formats.ts';
import type { OwnPage } from './session.ts';
import { icon } from '../frame/icon.ts';
import { fill } from '../language/fill.ts';
import { toolText } from '../tools/tool-text.ts';

export type ShownChain = Static<typeof ChainRecord>;
type ShownStep = ShownChain['steps'][number];

export const shownChain = (page: OwnPage, view: ChainView): ShownChain => chainRecord(view, page.site.service.tools);

const hasEnded = ({ status }: Pick<ShownChain, 'status'>): boolean => !['queued', 'running'].includes(status);
export const stateOf = (chain: ShownChain): 'running' | 'done' | 'failed' =>
  hasEnded(chain) ? (chain.status === 'succeeded' ? 'done' : 'failed') : 'running';

/** The name of its kind: "Episode". */
export function kindTitle({ t }: OwnPage, { recipe, name }: Pick<ShownChain, 'recipe' | 'name'>): string {
  const kinds: Readonly<Record<string, { readonly tab: string }>> = t.recipes.kinds;
  return recipe === null ? name : (kinds[recipe]?.tab ?? recipe);
}

const stepTitle = (page: OwnPage, tool: string): string => {
  const found = page.site.tools.find(({ id }) => id === tool);
  return found === undefined ? tool : toolText(page, found).title;
};

/** With the file in front that a chain is named after and that its button gives: of subtitles what players read. */
export const resultFirst = <F extends { readonly filename: string }>(
  recipe: string | null,
  files: readonly F[],
): readonly F[] => {
  const isSubtitles = ({ filename }: F): boolean => recipe === 'subtitles' && filename.endsWith('.srt');
  return [...files.filter(isSubtitles), ...files.filter((file) => !isSubtitles(file))];
};

/** The chains of an account, the newest first, with a way to each. */
export async function recentChains(page: OwnPage): Promise<Html | null> {
  const { t, href, site, language } = page;
  const { items } = await site.service.chains.list(page.account, { cursor: null, limit: 5 });
  if (items.length === 0) return null;
  return html`<section class="section stack-s" aria-labelledby="recent">
    <h2 class="h3" id="recent">${t.recipes.recent}</h2>
    <ul class="files panel">
      ${items.map((view) => {
        const chain = shownChain(page, view);
        const [first] = resultFirst(chain.recipe, chain.outputs);
        const title = kindTitle(page, chain);
        return html`<li class="file filerow">
          <div class="grow">
            <p class="name break">
              <a href="${href(`/chains/${chain.id}`)}"
                >${first?.filename ?? view.chain.plan.files[0]?.filename ?? title}</a
              >
            </p>
            <p class="meta">
              <span>${title}</span><span>${timeOf(language, view.chain.createdAt)}</span>
              <span class="${chain.status === 'failed' ? 'tag fault' : 'tag'}"
                >${chain.status === 'succeeded' && icon('check')}${t.recipes.states[chain.status]}</span
              >
            </p>
          </div>
        </li>`;
      })}
    </ul>
  </section>`;
}

/** Steps with their state and price. */
export const stepTable = (page: OwnPage, chain: ShownChain): Html => {
  const { t } = page;
  return html`<div class="pad" id="chain-steps">
    <table class="table fold">
      <caption class="sr">
        ${t.recipes.steps}
      </caption>
      <thead>
        <tr>
          <th scope="col">${t.recipes.step}</th>
          <th scope="col">${t.recipes.state}</th>
          <th scope="col" class="r">${t.recipes.credits}</th>
        </tr>
      </thead>
      <tbody>
        ${chain.steps.map(
          (step) =>
            html`<tr>
              <th scope="row">${stepTitle(page, step.tool)}</th>
              <td data-l="${t.recipes.state}">${stepState(page, step)}</td>
              <td data-l="${t.recipes.credits}" class="r num">${step.credits ?? ''}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
};

function stepState({ t, language }: OwnPage, { status, progress }: ShownStep): Html {
  const text = t.recipes.states[status];
  if (status === 'running')
    return html`<span>${text} <span class="num">${language.number(Math.floor(progress * 100))} %</span></span>`;
  return html`<span class="${status === 'failed' ? 'tag fault' : status === 'succeeded' ? 'tag' : 'tag off'}"
    >${status === 'succeeded' && icon('check')}${status === 'failed' && icon('warn')}${text}</span
  >`;
}

/** A file that a chain was given, and what became of it alone. */
export interface ShownTrack {
  readonly name: string;
  /** null: its recording is gone. */
  readonly before: StoredFile | null;
  /** null: it was not kept. */
  readonly after: StoredFile | null;
  readonly role: 'voice' | 'music' | 'effects' | null;
  readonly inputLufs: number | null;
  /** Of what became of it; null: not measured. */
  readonly afterLufs: number | null;
  readonly gainDb: number | null;
  readonly speechSeconds: number | null;
  readonly isLowered: boolean;
}

interface LevelResult {
  readonly tracks?: readonly {
    readonly speechSeconds: number;
    readonly gainDb: number | null;
    readonly input: { readonly integratedLufs: number | null };
    readonly output: { readonly integratedLufs: number | null };
  }[];
  readonly speechSeconds?: number;
  readonly gainDb?: number | null;
  readonly input?: { readonly integratedLufs: number | null };
}
interface MixResult {
  readonly tracks: readonly {
    readonly role: 'voice' | 'music' | 'effects';
    readonly gainDb: number | null;
    readonly ducked: boolean;
    readonly input: { readonly integratedLufs: number | null };
  }[];
}

/** The tracks of an episode, in the order of its files; none of another chain. */
export async function tracksOf(page: OwnPage, view: ChainView): Promise<readonly ShownTrack[]> {
  const { chain, outputs } = view;
  if (chain.recipe !== 'podcast') return [];
  const { steps } = shownChain(page, view);
  const planned = (name: string) => chain.plan.steps.find((step) => step.name === name || step.tool === name);
  const ofTool = (tool: string) => steps.find((step) => step.tool === tool)?.results[0] ?? null;
  const level = ofTool('level_speakers') as LevelResult | null;
  const mix = ofTool('mix_tracks') as MixResult | null;
  const count = chain.fileIds.length;
  const numbersIn = (name: string): readonly number[] =>
    Object.values(planned(name)?.sources ?? {})
      .flat()
      .flatMap((source) =>
        source === chainFiles ? Array.from({ length: count }, (_, at) => at + 1) : (fileNumber(source) ?? []),
      );
  const voices = count === 1 ? [1] : numbersIn('level_speakers');
  const others = count === 1 ? [] : numbersIn('mix');
  const isKept = planned('clean')?.isResult === true;
  const kept = isKept ? outputs.filter(({ filename }) => /-clean(-\d+)?\.wav$/.test(filename)) : [];
  return Promise.all(
    chain.fileIds.map(async (id, at): Promise<ShownTrack> => {
      const before = await page.site.service.files.get(page.account, id, 0).catch(() => null);
      const voice = voices.indexOf(at + 1);
      const mixed = mix?.tracks[voice >= 0 ? voice : voices.length + others.indexOf(at + 1)];
      const levelled = voice < 0 ? undefined : (level?.tracks?.[voice] ?? level ?? undefined);
      return {
        name: before?.filename ?? `${at + 1}`,
        before: before?.status === 'ready' ? before : null,
        after: voice < 0 ? null : (kept[voice] ?? null),
        role: count === 1 ? null : (mixed?.role ?? (voice >= 0 ? 'voice' : null)),
        inputLufs: levelled?.input?.integratedLufs ?? mixed?.input.integratedLufs ?? null,
        // Of one recording, noise goes first: what is compared is not levelled yet.
        afterLufs: level?.tracks?.[voice]?.output.integratedLufs ?? null,
        gainDb: levelled?.gainDb ?? mixed?.gainDb ?? null,
        speechSeconds: levelled?.speechSeconds ?? null,
        isLowered: mixed?.ducked === true,
      };
    }),
  );
}

/** "−16.0 LUFS"; "–" where it is not known. */
export function withUnit({ language }: OwnPage, value: number | null | undefined, unit: string, sign = false): string {
  if (value === null || value === undefined) return '–';
  const figure = value.toLocaleString(language.code, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return `${sign && value > 0 ? '+' : ''}${figure.replace('-', '−')} ${unit}`;
}

/** The step at which it failed, in a sentence. */
export const failedAt = (page: OwnPage, chain: ShownChain): string => {
  const tool = chain.steps.find(({ name }) => name === chain.failedStep)?.tool;
  return fill(page.t.recipes.failedAt, { step: tool === undefined ? (chain.failedStep ?? '') : stepTitle(page, tool) });
};
