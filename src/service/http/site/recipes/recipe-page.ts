// Pages of recipes: several tools as one over an account's files. A visitor sees tracks and price, and signs in to
// start.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { RecipeData } from '../../../../site/recipe-data.ts';
import { roleByName, roles } from '../../../../site/recipe/roles.ts';
import type { ShownOption, ShownRecipe } from '../../../rules/chains/planner.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import { lengthOf } from '../account/formats.ts';
import { type OwnPage, openOwnPage } from '../account/session.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { benchTexts, keptHours, shownBytes } from '../frame/terms.ts';
import { fill } from '../language/fill.ts';
import { recentChains } from '../account/chain-parts.ts';
import { foretellRoute } from './price-route.ts';

/** The kinds of pages, in the order of their tabs; `own` runs a chain of the user's own. */
export const kinds = ['podcast', 'audiobook', 'subtitles', 'own'] as const;
export type Kind = (typeof kinds)[number];

/** Most files of a chain of the user's own, as the REST API has it. */
const mostOwn = 20;
const formats = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'] as const;
/** Files of the account that are offered where no script runs. */
const plainFiles = 20;

/** The path of a recipe's page. */
export const pathOfKind = (kind: Kind): string => (kind === 'podcast' ? '/episode' : `/recipes/${kind}`);

/** GET /episode and /recipes/<name>; POST /recipes/price. */
export function recipeRoutes(scope: FastifyInstance, site: Site): void {
  const options = { config: { access: 'public' as const }, schema: { hide: true } };
  scope.get('/episode', options, (request, reply) => sendRecipe(site, 'podcast', request, reply));
  scope.get<{ Params: { name: string } }>('/recipes/:name', options, async (request, reply) => {
    const kind = kinds.find((each) => each === request.params.name);
    if (kind === undefined)
      throw new EarshotError('not_found', `There is no recipe ${request.params.name.slice(0, 100)}`);
    if (kind === 'podcast') return reply.redirect(`${site.rootPath}/episode`, 303);
    return sendRecipe(site, kind, request, reply);
  });
  foretellRoute(scope, site);
}

/** A recipe of the library; null: a chain of the user's own. */
export const recipeOf = ({ service }: Site, kind: Kind): ShownRecipe | null =>
  service.chains.recipes.find(({ name }) => name === kind) ?? null;

async function sendRecipe(site: Site, kind: Kind, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const own = await openOwnPage(site, request, reply);
  const page: Page = own ?? (await openPage(site, request, reply));
  const { t, href } = page;
  const texts = t.recipes.kinds[kind];
  const recipe = recipeOf(site, kind);
  const tabs = kinds.map(
    (each) =>
      html`<a class="tab" href="${href(pathOfKind(each))}" aria-current="${each === kind ? 'page' : null}"
        >${t.recipes.kinds[each].tab}</a
      >`,
  );
  return sendPage(reply, page, {
    title: texts.title,
    description: texts.lead,
    section: 'episode',
    mainClass: 'wrap',
    scripts: ['recipe'],
    data: recipeData(page, kind, recipe),
    body: html`<div class="head">
        <nav class="row row-l" aria-label="${t.recipes.which}">${tabs}</nav>
        <h1>${texts.title}</h1>
        <p class="lead">${texts.lead}</p>
      </div>
      <div class="split">
        <div class="bench">
          <form id="recipe" method="post" action="${href('/chains/look')}">
            <input type="hidden" name="form" value="${own?.formToken ?? ''}" />
            <input type="hidden" name="kind" value="${kind}" />
            <div id="intake">${own === null ? visitorNote(page, kind) : await plainIntake(own, recipe)}</div>
            <div class="panel" id="options">
              ${hasOptions(recipe) && html`<div class="pad cols-2 controls">${recipe === null ? chainField(page) : recipeFields(page, recipe)}</div>`}
              <div id="presets"></div>
              <div class="panel-foot" id="start">
                ${own !== null && html`<button class="btn go l" type="submit">${t.recipes.look}</button>`}
              </div>
            </div>
          </form>
        </div>
        <aside class="stack" aria-label="${t.recipes.price}">
          <h2 class="label">${t.recipes.price}</h2>
          <div class="price" id="steps">
            <p class="small soft">${recipe === null ? t.recipes.priceLaterOwn : t.recipes.priceLater}</p>
          </div>
          <hr />
          <p class="small soft">
            ${fill(t.bench.ownLimits, { size: shownBytes(page, site.config.maxFileBytes), hours: keptHours(page) })}
          </p>
        </aside>
      </div>
      ${own !== null && (await recentChains(own))}`,
  });
}

const hasOptions = (recipe: ShownRecipe | null): boolean => recipe === null || Object.keys(recipe.options).length > 0;
const most = (recipe: ShownRecipe | null): number => recipe?.maxFiles ?? mostOwn;

function recipeData(page: Page, kind: Kind, recipe: ShownRecipe | null): RecipeData {
  const { t, href, account, language, site } = page;
  const texts = t.recipes.kinds[kind];
  return {
    language: language.code,
    recipe: recipe?.name ?? null,
    action: texts.action,
    drop: texts.drop,
    help: fill(texts.help, { n: most(recipe) }),
    hasRoles: recipe?.options['roles'] !== undefined,
    minFiles: recipe?.minFiles ?? 1,
    maxFiles: most(recipe),
    // Also of a visitor, whose files are sent after the sign-in.
    mostBytes: site.config.maxFileBytes,
    addresses: {
      site: href(''),
      page: href(pathOfKind(kind)),
      chains: href('/chains/'),
      price: href('/recipes/price'),
      signIn: `${href('/sign-in')}?next=${encodeURIComponent(pathOfKind(kind))}`,
      credits: href('/credits'),
      api: href('/api/v1'),
      files: href('/files'),
      analyse: page.asset('analyse.js'),
      upload: page.asset('upload.js'),
    },
    available: account === null ? null : account.balance - account.reserved,
    t: benchTexts(page),
    texts: t.recipes,
    units: t.units,
    errors: t.errors,
  };
}

const visitorNote = ({ t, href }: Page, kind: Kind): Html =>
  html`<div class="note">
    <div>
      <h2 class="h4">${t.recipes.visitorTitle}</h2>
      <p>
        <a class="btn" href="${href('/sign-in')}?next=${encodeURIComponent(pathOfKind(kind))}">${t.recipes.signIn}</a>
      </p>
    </div>
  </div>`;

/** Without a script: files that the account has already. */
async function plainIntake(page: OwnPage, recipe: ShownRecipe | null): Promise<Html> {
  const { t, site } = page;
  const { items } = await site.service.files.list(page.account, { kind: null }, { cursor: null, limit: plainFiles });
  const media = items.filter(({ status, hasAudio }) => status === 'ready' && hasAudio);
  return html`<fieldset class="panel pad stack-s">
    <legend class="sr">${t.recipes.plain}</legend>
    <p class="small soft">${media.length === 0 ? t.recipes.plainNone : t.recipes.plainHelp}</p>
    ${media.map((file) => plainFile(page, file, recipe?.options['roles'] !== undefined))}
  </fieldset>`;
}

const plainFile = ({ t }: Page, { id, filename, durationSeconds }: StoredFile, hasRole: boolean): Html =>
  html`<p class="row">
    <label class="check"
      ><input type="checkbox" name="file-${id}" value="1" /><span class="break">${filename}</span>
      ${durationSeconds !== null && html`<span class="hint num">${lengthOf(durationSeconds)}</span>`}</label
    >
    ${
      hasRole &&
      html`<select class="input s push" name="role-${id}" aria-label="${fill(t.recipes.role, { name: filename })}">
        ${roles.map(
          (role) =>
            html`<option value="${role}" selected="${role === (roleByName(filename) ?? 'voice')}">
              ${t.recipes.roles[role]}
            </option>`,
        )}
      </select>`
    }
  </p>`;

interface OptionText {
  readonly label: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The options of a recipe as controls, by its own list: choices on one side, what is done or not on the other. */
function recipeFields({ t }: Page, recipe: ShownRecipe): readonly Html[] {
  const texts: Readonly<Record<string, OptionText>> = t.recipes.options;
  const fields = Object.entries(recipe.options).filter(([, { perFile }]) => !perFile);
  const textOf = (name: string, { description }: ShownOption): OptionText =>
    texts[name] ?? { label: description, values: {} };
  const choices = fields.flatMap(([name, option]) => {
    if (option.choices === null) return [];
    const said = textOf(name, option);
    return [
      option.choices.length === 0 ? textField(name, said) : choiceField(name, option.choices, option.default, said),
    ];
  });
  const checks = fields.flatMap(([name, option]) =>
    option.choices === null ? [checkField(name, option.default === true, textOf(name, option))] : [],
  );
  return [
    html`<div class="stack">${choices} ${recipe.name === 'podcast' && formatField(t)}</div>`,
    html`<div class="stack-s">${checks}</div>`,
  ];
}

const choiceField = (name: string, choices: readonly string[], usual: unknown, { label, values }: OptionText): Html =>
  html`<fieldset class="field">
    <legend>${label}</legend>
    <div class="seg">
      ${choices.map(
        (value) =>
          html`<label
            ><input type="radio" name="o-${name}" value="${value}" checked="${value === usual}" />${
              values[value] ?? value
            }</label
          >`,
      )}
    </div>
  </fieldset>`;

/** Of lines, where its label shows what they are like. */
const textField = (name: string, { label, values }: OptionText): Html =>
  html`<div class="field">
    <label for="o-${name}">${label}</label>
    ${
      values['lines'] === undefined
        ? html`<input class="input" id="o-${name}" name="o-${name}" maxlength="400" />`
        : html`<textarea
            class="input"
            id="o-${name}"
            name="o-${name}"
            rows="3"
            placeholder="${values['lines']}"
          ></textarea>`
    }
  </div>`;

/** Cleaned tracks are wanted here: each lane is compared with what became of it. */
const checkField = (name: string, isUsual: boolean, { label }: OptionText): Html =>
  html`<label class="check"
    ><input type="checkbox" name="o-${name}" value="1" checked="${isUsual || name === 'tracks'}" /><span
      >${label}</span
    ></label
  >`;

const formatField = (t: Page['t']): Html =>
  html`<div class="field">
    <label for="format">${t.recipes.format}</label>
    <select class="input" id="format" name="format">
      <option value="">${t.recipes.asFirst}</option>
      ${formats.map((format) => html`<option value="${format}">${format.toUpperCase()}</option>`)}
    </select>
  </div>`;

const example = `{
  "name": "tidy",
  "steps": [
    { "tool": "remove-noise", "options": { "auto_volume": false } },
    { "tool": "loudness", "options": { "target": "podcast" } }
  ]
}`;

const chainField = ({ t, href }: Page): Html =>
  html`<div class="field">
      <label for="chain">${t.recipes.chainLabel}</label>
      <textarea class="input" id="chain" name="chain" rows="10" maxlength="10000" spellcheck="false">
${example}</textarea>
      <p class="hint">${t.recipes.chainHelp} <a href="${href('/docs/chains')}">${t.recipes.guide}</a></p>
    </div>
    <div class="stack-s">
      <div class="field">
        <label for="chain-file">${t.recipes.chainFile}</label
        ><input class="input" type="file" id="chain-file" accept=".json,application/json" />
      </div>
      ${formatField(t)}
    </div>`;
