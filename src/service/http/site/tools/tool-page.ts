import type { FastifyInstance } from 'fastify';
import { EarshotError, errorCatalogue } from '../../../../library/core/errors/errors.ts';
import { passageName } from '../../../../library/contract/passage-order.ts';
import type { OptionSchema } from '../../../../library/core/checks/schema.ts';
import type { OfferedTool } from '../../../offers/offers.ts';
import type { BenchData, BenchInput, DeviceBench, ItemField } from '../../../../site/bench-data.ts';
import type { Allowance } from '../../../rules/free-runs/free-run-use-cases.ts';
import type { ToolOffer } from '../../../rules/jobs/tools.ts';
import { formOf } from '../../interface/tool-form.ts';
import { addressKey } from '../../server/rate-limit.ts';
import { callerOf } from '../../server/mount.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { engineAt } from '../frame/assets.ts';
import { icon } from '../frame/icon.ts';
import { isOffline } from '../frame/offline.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { benchTexts, fileLimits, keptHours, mostBytes, spokenLength, spokenRate } from '../frame/terms.ts';
import { fill } from '../language/fill.ts';
import { controlsOf } from './controls.ts';
import { nextTools } from './next-tools.ts';
import { exampleText, optionText, toolText, unitOf } from './tool-text.ts';

/** GET /tools/<slug>: a page for every tool, from its declaration alone. */
export function toolRoutes(scope: FastifyInstance, site: Site): void {
  const { service, tools } = site;
  scope.get<{ Params: { slug: string } }>(
    '/tools/:slug',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const page = await openPage(site, request, reply);
      const tool = tools.find(({ slug }) => slug === request.params.slug);
      const offer = (await service.tools.offers()).find(({ id }) => id === tool?.id);
      if (tool === undefined || offer === undefined)
        throw new EarshotError('not_found', `There is no tool ${request.params.slug.slice(0, 100)}`);
      const visitor = service.freeRuns.visitor(page.account, addressKey(callerOf(request).ip));
      const allowance = offer.free.enabled ? await service.freeRuns.allowance(visitor, tool.id) : null;
      const { title, description } = toolText(page, tool);
      const device = deviceOf(page, tool);
      const obstacle = obstacleOf(page, offer, device !== null);
      return sendPage(reply, page, {
        title,
        description,
        section: 'tools',
        isPublic: page.account === null,
        mainClass: 'wrap',
        scripts: obstacle === null ? ['tool'] : [],
        data: obstacle === null ? benchData(page, tool, offer, allowance, device) : undefined,
        body: html`<div class="head">
            <h1>${title}</h1>
            <p class="lead">${description}</p>
          </div>
          <div class="split">
            <div class="bench">
              ${
                obstacle === null
                  ? bench(page, tool)
                  : html`<div class="note">
                      ${icon('info')}
                      <div><p>${obstacle}</p></div>
                    </div>`
              }
            </div>
            ${terms(page, tool, offer, allowance, device !== null)}
          </div>
          ${examples(page, tool)}`,
      });
    },
  );
}

const passing = Object.entries(errorCatalogue).flatMap(([code, { retryable }]) => (retryable ? [code] : []));

/** Why the tool cannot start here; null when it can. */
function obstacleOf({ t, site, account }: Page, { unavailable }: ToolOffer, isOnDevice: boolean): string | null {
  if (unavailable !== null) return `${t.bench.notHere} ${unavailable}`;
  return site.config.freeEnabled || account !== null || isOnDevice ? null : t.bench.needsAccount;
}

/** The form with files and options; its fields are those of the tool's request. */
function bench(page: Page, tool: OfferedTool): Html {
  const { t, href } = page;
  const inputs = benchInputs(page, tool);
  const { first, further } = controlsOf(page, tool);
  // Its options are shown before there is a file: one of them takes the place of a file.
  const isTyped = (tool.fieldRules.exactlyOne ?? []).flat().some((name) => name in (tool.options.properties ?? {}));
  return html`<div id="live" aria-live="polite"></div>
    <form
      id="bench"
      class="${isTyped && 'typed'}"
      method="post"
      action="${href(`/api/try/${tool.slug}`)}"
      enctype="multipart/form-data"
    >
      <div id="intake" class="stack">${inputs.map((input) => plainIntake(page, input))}</div>
      <div class="panel" id="settings">
        ${
          first.length + further.length > 0 &&
          html`<div class="pad">
            <h2 class="sr">${t.bench.options}</h2>
            <div class="cols-2 controls">${first}</div>
            ${
              further.length > 0 &&
              html`<details id="further">
                <summary>${t.bench.furtherOptions}</summary>
                <div class="cols-2 controls">${further}</div>
              </details>`
            }
          </div>`
        }
        <div class="panel-foot" id="start">
          <button class="btn go l" type="submit">${toolText(page, tool).title}</button>
        </div>
      </div>
    </form>`;
}

/** Shown without scripts; the script replaces it with a drop zone. */
const plainIntake = ({ t }: Page, input: BenchInput): Html =>
  html`<fieldset class="panel pad stack-s">
    <legend class="sr">${input.title}</legend>
    <div class="field">
      <label for="f-${input.name}">${input.title}</label
      ><input
        id="f-${input.name}"
        type="file"
        name="${input.name}"
        multiple="${input.multiple}"
        class="input"
        accept="${acceptOf(input)}"
      />
    </div>
    ${
      input.linkName !== null &&
      html`<div class="field">
        <label for="f-${input.linkName}">${t.bench.linkLabel}</label
        ><input
          id="f-${input.linkName}"
          type="url"
          name="${input.linkName}"
          class="input"
          maxlength="4000"
          placeholder="https://"
        />
      </div>`
    }
  </fieldset>`;

const acceptOf = ({ kind, extensions }: BenchInput): string =>
  kind === 'media' ? 'audio/*,video/*' : extensions.map((extension) => `.${extension}`).join(',');

function benchInputs(page: Page, tool: OfferedTool): readonly BenchInput[] {
  const { files } = formOf(tool);
  return Object.entries(tool.inputs).flatMap(([input, role]): BenchInput[] => {
    const named = files.filter((field) => field.input === input);
    const name = named.find(({ link }) => !link)?.name;
    if (name === undefined) return [];
    return [
      {
        input,
        name,
        linkName: named.find(({ link }) => link)?.name ?? null,
        title: inputTitle(page, tool, input, role),
        min: role.min,
        max: role.max,
        multiple: role.multiple,
        kind: role.kind,
        extensions: role.extensions,
        settings: role.itemKey === undefined ? null : { option: input, fields: itemFields(page, tool, input) },
        itemKey: role.itemKey ?? null,
      },
    ];
  });
}

/** With the files that it takes, and whether it may stay empty. */
function inputTitle(
  { t }: Page,
  { fieldRules }: OfferedTool,
  input: string,
  role: OfferedTool['inputs'][string],
): string {
  const written = t.inputs[role.needs === 'audio+video' ? 'video_file_id' : input] ?? role.title;
  const title = fill(written, { kinds: role.extensions.join(', ').toUpperCase() });
  const isNeeded = role.min > 0 || (fieldRules.exactlyOne ?? []).flat().includes(input);
  return isNeeded ? title : fill(t.bench.optional, { title });
}

/** The settings of each file, from the option that lists them. */
function itemFields(page: Page, tool: OfferedTool, option: string): readonly ItemField[] {
  const item = tool.options.properties?.[option]?.items as OptionSchema | undefined;
  return Object.entries(item?.properties ?? {}).map(([name, schema]) => {
    const text = optionText(page, name, schema);
    return {
      name,
      label: text.label,
      unit: unitOf(name, schema),
      usual: (schema.default as string | number | undefined) ?? '',
      choices:
        schema.enum?.map((value) => ({ value: String(value), label: text.values[value] ?? String(value) })) ?? null,
      minimum: schema.minimum ?? null,
      maximum: schema.maximum ?? null,
    };
  });
}

function benchData(
  page: Page,
  tool: OfferedTool,
  { free }: ToolOffer,
  allowance: Allowance | null,
  device: DeviceBench | null,
): BenchData {
  const { href, t, language } = page;
  return {
    slug: tool.slug,
    transcribes: tool.work.transcriptOf === 'input',
    title: toolText(page, tool).title,
    action: href(`/api/try/${tool.slug}`),
    page: href(`/tools/${tool.slug}`),
    runs: href('/runs/'),
    language: language.code,
    mostBytes: mostBytes(page),
    inputs: benchInputs(page, tool),
    exactlyOne: tool.fieldRules.exactlyOne ?? [],
    passing,
    next: nextTools(page, tool.slug),
    freeLength: free.seconds === null ? null : spokenLength(page, free.seconds),
    uses: allowance && { left: allowance.usesLeft, all: allowance.dailyUses },
    analyse: page.asset('analyse.js'),
    record: page.asset('record.js'),
    ...looks(page, tool),
    device,
    signIn: `${href('/sign-in')}?next=${encodeURIComponent(`/tools/${tool.slug}`)}`,
    editor: href('/edit'),
    own:
      page.account === null
        ? null
        : {
            tool: tool.id,
            hasJobFields: tool.jobFields,
            hasPreview: passageName in (tool.options.properties ?? {}),
            api: href('/api/v1'),
            upload: page.asset('upload.js'),
            files: href('/files'),
            credits: href('/credits'),
            hours: keptHours(page),
          },
    t: benchTexts(page),
    units: t.units,
    errors: t.errors,
    warnings: t.warnings,
  };
}

/** null: the tool does not run in browsers, needs models, which pages do not fetch, or the operator wants none to. */
function deviceOf({ asset, href, site, account }: Page, tool: OfferedTool): DeviceBench | null {
  const { runsInTab = false, options, work } = tool;
  const canRun = runsInTab !== false && work.models !== 'speech';
  const engine = site.config.onDevice && canRun ? site.assets.engine() : null;
  if (engine === null) return null;
  return {
    tool: tool.id,
    script: asset('device.js'),
    engine: href(`${site.assetsAt}/${engineAt}${engine.version}/browser.js`),
    // A tool that only answers writes none.
    format:
      tool.writesText === true && tool.formats === undefined
        ? null
        : 'format' in (options.properties ?? {})
          ? 'format'
          : 'output_format',
    isLighter: runsInTab === 'lighter',
    offline: isOffline(site) ? href('/offline.js') : null,
    orServer: site.config.freeEnabled || account !== null,
  };
}

/** Which scripts show what is chosen, and what a run has listed. */
function looks({ asset, href, site }: Page, { shown, options, listedIds }: OfferedTool) {
  const takesTimes = Object.values(options.properties ?? {}).some(
    ({ items }) => (items as OptionSchema | undefined)?.type === 'array',
  );
  const script = shown.look ?? (takesTimes ? 'ranges' : null);
  const cut = site.tools.find(({ id }) => id === 'cut_audio');
  return {
    look: script === null ? null : asset(`${script}.js`),
    listOption: Object.keys(listedIds ?? {})[0] ?? '',
    listed: listedIds === undefined ? null : asset('listed.js'),
    cut: cut === undefined ? null : { tool: cut.id, action: href(`/api/try/${cut.slug}`) },
  };
}

/** Price and free part, shown before the start. */
function terms(
  page: Page,
  tool: OfferedTool,
  offer: ToolOffer,
  allowance: Allowance | null,
  isOnDevice: boolean,
): Html {
  const { t, language } = page;
  const { free } = offer;
  const length =
    free.seconds === null ? t.bench.freeWhole : fill(t.bench.freeSeconds, { length: spokenLength(page, free.seconds) });
  return html`<aside class="stack" aria-label="${t.bench.price}">
    <div class="price">
      <dl class="facts">
        <dt>${t.bench.price}</dt>
        <dd>${tool.alwaysFree ? t.bench.alwaysFree : spokenRate(page, offer)}</dd>
        ${
          allowance !== null &&
          html`<dt>${t.bench.freePart}</dt>
            <dd>${length}</dd>
            <dt>${t.bench.leftToday}</dt>
            <dd id="left-today">
              ${fill(t.bench.leftOf, {
                left: language.number(allowance.usesLeft),
                all: language.number(allowance.dailyUses),
              })}
            </dd>
            <dt>${t.bench.newOnes}</dt>
            <dd>${t.bench.midnight}</dd>`
        }
      </dl>
    </div>
    <hr />
    ${isOnDevice && html`<p class="small soft">${t.bench.hereTerms}</p>`}
    <p class="small soft">${isOnDevice && `${t.bench.there}: `}${fileLimits(page)}</p>
  </aside>`;
}

/** The fields of a request that the first example says as flags: `--words "Ann Taylor,Miller"`. */
function saidFields(tool: OfferedTool): readonly string[] {
  const command = tool.examples[0]?.command ?? '';
  return [...command.matchAll(/ --([a-z-]+) ("[^"]*"|'[^']*'|[^\s'"-]\S*)/g)].flatMap(([, flag = '', said = '']) => {
    const value = said.replaceAll(/^["']|["']$/g, '');
    if (formOf(tool).files.some(({ name, link }) => name === flag && !link)) return [`-F ${flag}=@${value}`];
    const name = flag.replaceAll('-', '_');
    const schema = tool.options.properties?.[name];
    if (schema === undefined) return [];
    const isList = schema.type === 'array' && !value.startsWith('[');
    return [`-F '${name}=${isList ? JSON.stringify(value.split(',')) : value}'`];
  });
}

/** The same run as a command. */
function examples(page: Page, tool: OfferedTool): Html {
  const { t, base } = page;
  const { bench } = t;
  const needed = formOf(tool).files.filter(({ input, link }) => !link && (tool.inputs[input]?.min ?? 0) > 0);
  const fields = (needed.length === 0 ? formOf(tool).files.slice(0, 1) : needed).flatMap(({ name, input }) => {
    const role = tool.inputs[input] ?? { kind: 'media', needs: 'any', extensions: [], minGiven: 1 };
    const { kind, needs, extensions, minGiven } = role;
    const isFilm = needs.includes('video');
    const file = kind === 'text' ? `film.${extensions.at(-1)}` : isFilm ? 'film.mp4' : 'recording.wav';
    return Array.from(
      { length: Math.max(1, minGiven) },
      (_, at) => `-F ${name}=@${at === 0 ? '' : `${at + 1}-`}${file}`,
    );
  });
  const call = `curl ${[...new Set([...fields, ...saidFields(tool)])].join(' ')} \\\n  ${base}/api/try/${tool.slug} -OJ`;
  return html`<section class="section stack" aria-labelledby="examples">
    <h2 id="examples">${bench.examples}</h2>
    <div class="cols-2">
      <div class="stack-s">
        <h3 class="h4">${bench.onCommandLine}</h3>
        ${tool.examples.map(
          ({ command }, at) =>
            html`<p class="small soft">${exampleText(page, tool, at)}</p>
              <div class="code">
                <pre tabindex="0"><code>${`earshot ${command}`}</code></pre>
              </div>`,
        )}
      </div>
      <div class="stack-s">
        <h3 class="h4">${bench.overHttp}</h3>
        <div class="code">
          <pre tabindex="0"><code>${call}</code></pre>
        </div>
      </div>
    </div>
  </section>`;
}
