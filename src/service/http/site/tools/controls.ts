// A control for every kind of option that a declaration can have. It works without a script; names and values are those
// of the tool's request, so that the form is that request.
import type { OptionSchema } from '../../../../library/core/checks/schema.ts';
import { passageName } from '../../../../library/contract/passage-order.ts';
import { soundTrackName } from '../../../../library/tools/declare/sound-track.ts';
import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import { spokenLanguages } from '../../../../library/contract/spoken-languages.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { isChapters } from '../../interface/tool-form.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { optionText, unitOf } from './tool-text.ts';

/** With more choices than this, a list is shown. */
const mostSegments = 6;
/** Most steps of a slider; with more, a step would be too small to see. */
const mostSteps = 100;

/**
 * All options of a tool, without those that belong to each of its files, and the sound track: few files have two.
 * @returns those that are shown at once, and those for who asks for more
 */
export function controlsOf(
  page: Page,
  tool: AnyTool,
): { readonly first: readonly Html[]; readonly further: readonly Html[] } {
  const { further = [] } = tool.shown;
  const shown = Object.entries(tool.options.properties ?? {}).filter(
    ([name]) => tool.inputs[name]?.itemKey === undefined && ![soundTrackName, passageName].includes(name),
  );
  const made = (isFurther: boolean): readonly Html[] =>
    shown
      .filter(([name]) => further.includes(name) === isFurther)
      .map(([name, schema]) => control(page, tool, name, schema));
  return { first: made(false), further: made(true) };
}

function control(page: Page, tool: AnyTool, name: string, schema: OptionSchema): Html {
  const { t } = page;
  const text = optionText(page, name, schema);
  const id = `o-${name}`;
  const rule = tool.optionRules[name];
  const usual = usualText(page, name, schema);
  const frame = {
    class: 'field',
    'data-option': name,
    'data-type': isJson(schema) ? 'json' : undefined,
    'data-usual': shownUsual(schema),
    'data-only': rule?.field,
    'data-values': rule?.values.join(' '),
  };
  const hint = html`<p class="hint" id="${id}-h">
      ${[text.hint, rangeHint(page, name, schema)].filter((part) => part !== '').join(' ')}
    </p>
    <p class="usual" hidden>
      <span>${fill(t.bench.usual, { value: usual })}</span>
      <button class="link" type="button" data-reset>${t.bench.setBack}</button>
    </p>
    <p class="err" role="alert" hidden></p>`;
  if (schema.type === 'boolean')
    return html`<div ...${frame}>
      <input type="hidden" name="${name}" value="false" /><label class="check"
        ><input
          type="checkbox"
          id="${id}"
          name="${name}"
          value="true"
          checked="${schema.default === true}"
          aria-describedby="${id}-h"
        /><span>${text.label}</span></label
      >${hint}
    </div>`;
  const choices = schema.enum;
  if (choices !== undefined && choices.length <= mostSegments)
    return html`<fieldset ...${frame}>
      <legend>${text.label}</legend>
      <div class="seg">
        ${[
          ...(schema.default === undefined ? [{ value: '', label: t.bench.asInput }] : []),
          ...choices.map((value) => ({ value: String(value), label: text.values[value] ?? String(value) })),
        ].map(
          ({ value, label }) =>
            html`<label
              ><input
                type="radio"
                name="${name}"
                value="${value}"
                checked="${value === shownUsual(schema)}"
              />${label}</label
            >`,
        )}
      </div>
      ${hint}
    </fieldset>`;
  const label = html`<label for="${id}">${text.label}</label>`;
  const common = { id, name, 'aria-describedby': `${id}-h` };
  if (choices !== undefined)
    return html`<div ...${frame}>
      ${label}<select ...${common} class="input">
        ${schema.default === undefined && html`<option value="">${t.bench.asInput}</option>`}${choices.map(
          (value) =>
            html`<option value="${value}" selected="${value === schema.default}">
              ${text.values[value] ?? `${value} ${unitOf(name, schema)}`}
            </option>`,
        )}</select
      >${hint}
    </div>`;
  if (schema.type === 'integer' || schema.type === 'number')
    return html`<div ...${frame}>${label}${numberField(name, schema, common, text.label)}${hint}</div>`;
  return html`<div ...${frame}>${label}${textField(page, schema, common)}${hint}</div>`;
}

function numberField(
  name: string,
  schema: OptionSchema,
  common: Readonly<Record<string, string>>,
  label: string,
): Html {
  const { minimum, maximum, type, default: usual } = schema;
  const step = type === 'integer' ? 1 : 'any';
  const unit = unitOf(name, schema);
  const values = { min: minimum, max: maximum, value: shownUsual(schema) };
  const field = html`<div class="with-unit">
    <input
      ...${common}
      type="number"
      inputmode="decimal"
      step="${step}"
      ...${values}
    />${unit !== '' && html`<span>${unit}</span>`}
  </div>`;
  const hasSlider =
    type === 'integer' &&
    usual !== undefined &&
    minimum !== undefined &&
    maximum !== undefined &&
    maximum - minimum <= mostSteps;
  if (!hasSlider) return field;
  return html`<div class="range">
    <input type="range" step="1" ...${values} data-for="${common['id']}" aria-label="${label}" />${field}
    <div class="ends" aria-hidden="true"><span>${minimum}</span><span>${maximum}</span></div>
  </div>`;
}

/** Is a typed value JSON: a number, or a list of objects, but of chapters? */
const isJson = (schema: OptionSchema): boolean =>
  schema.type === 'integer' ||
  schema.type === 'number' ||
  ((schema.items as OptionSchema | undefined)?.type === 'object' && !isChapters(schema));

function textField(page: Page, schema: OptionSchema, common: Readonly<Record<string, string>>): Html {
  const { maxLength = 0, type, pattern, items } = schema;
  const isTimes = (items as OptionSchema | undefined)?.type === 'array';
  const list =
    type !== 'array' || isJson(schema) ? undefined : isChapters(schema) ? 'chapters' : isTimes ? 'times' : 'lines';
  if (type === 'array' || maxLength > 200)
    return html`<textarea
      ...${common}
      class="input"
      rows="${type === 'array' ? 3 : 6}"
      spellcheck="false"
      data-list="${list}"
    ></textarea>`;
  const names = pattern === '^[a-z]{2,3}$' ? `${common['id']}-l` : undefined;
  return html`<input
      ...${common}
      class="input"
      type="text"
      list="${names}"
      pattern="${pattern?.replace(/^\^|\$$/g, '')}"
      autocomplete="off"
      placeholder="${names && page.t.bench.foundOut}"
    />${names !== undefined && html`<datalist id="${names}">${languageNames(page)}</datalist>`}`;
}

/** Codes with their names, in the language of the page. */
function languageNames({ language }: Page): readonly Html[] {
  const names = new Intl.DisplayNames([language.code], { type: 'language' });
  return spokenLanguages
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, language.code))
    .map(({ code, name }) => html`<option value="${code}">${name}</option>`);
}

/** "From 10 to 100 %." */
function rangeHint({ t, language }: Page, name: string, schema: OptionSchema): string {
  const { minimum, maximum } = schema;
  if ((schema.type !== 'integer' && schema.type !== 'number') || minimum === undefined || maximum === undefined)
    return '';
  const most = `${language.number(maximum, 3)} ${unitOf(name, schema)}`.trim();
  return fill(t.bench.from, { least: language.number(minimum, 3), most });
}

/** The default as the control's value; '' for none. */
const shownUsual = ({ default: usual }: OptionSchema): string =>
  typeof usual === 'string' || typeof usual === 'number' || typeof usual === 'boolean' ? String(usual) : '';

function usualText(page: Page, name: string, schema: OptionSchema): string {
  const { t } = page;
  const { default: usual } = schema;
  const none = { string: t.bench.foundOut, array: t.bench.none }[schema.type ?? ''] ?? t.bench.asInput;
  if (usual === undefined) return optionText(page, name, schema).values[''] ?? none;
  if (typeof usual === 'boolean') return usual ? t.bench.yes : t.bench.no;
  const shown = shownUsual(schema);
  return optionText(page, name, schema).values[shown] ?? `${shown} ${unitOf(name, schema)}`.trim();
}
