import type { OptionSchema } from '../../../../library/core/checks/schema.ts';
import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import type { ToolTexts, TranslatedTexts } from '../../../../library/tools/declare/facts.ts';
import type { Page } from '../frame/site.ts';
import type { OptionText } from '../strings/en/tools.ts';

/** What the tool itself or the folder of the page's language has of it; undefined: English, or as in English. */
const translated = ({ language: { code }, t }: Page, { id, shown }: AnyTool): TranslatedTexts | undefined =>
  (shown.translations as Readonly<Record<string, TranslatedTexts>>)[code] ?? t.toolTexts[id];

/** The tool's texts in the page's language. */
export const toolText = (page: Page, tool: AnyTool): ToolTexts => translated(page, tool) ?? tool;

/** What an example of the tool does, in the page's language. */
export const exampleText = (page: Page, tool: AnyTool, at: number): string =>
  translated(page, tool)?.examples[at] ?? tool.examples[at]?.description ?? '';

/** The tool's name in the page's language; its id where there is no such tool any more. */
export function toolName(page: Page, id: string): string {
  const tool = page.site.tools.find((each) => each.id === id);
  return tool === undefined ? id : toolText(page, tool).title;
}

/** What a run does, in the page's language; without a translation, as its tool says it. */
export const stageText = ({ t }: Page, stage: string): string =>
  (t.bench.stages as Readonly<Record<string, string>>)[stage] ?? stage;

const units: readonly (readonly [suffix: string, unit: string])[] = [
  ['_seconds', 's'],
  ['_ms', 'ms'],
  ['_lufs', 'LUFS'],
  ['_db', 'dB'],
  ['_dbfs', 'dBFS'],
  ['_dbtp', 'dBTP'],
  ['_kbps', 'kbit/s'],
  ['_hz', 'Hz'],
  ['_rate', 'Hz'],
  ['_percent', '%'],
];

/** The unit of a number, from its name or its description. */
export function unitOf(name: string, { description = '' }: OptionSchema): string {
  const found = units.find(([suffix]) => name.endsWith(suffix))?.[1];
  return found ?? (/\bpercent\b/i.test(description) ? '%' : '');
}

/** The texts of a control; without a translation, those of its declaration. */
export function optionText({ t }: Page, name: string, schema: OptionSchema): Required<OptionText> {
  const written: OptionText | undefined = (t.options as Readonly<Record<string, OptionText>>)[name];
  const bare = units.reduce((rest, [suffix]) => (rest.endsWith(suffix) ? rest.slice(0, -suffix.length) : rest), name);
  const label = written?.label ?? `${bare.charAt(0).toUpperCase()}${bare.slice(1).replaceAll('_', ' ')}`;
  // Texts are by name: one tool has choices that another lacks.
  const isOfOthers = name === 'output_format' && schema.enum?.includes('same') === false;
  const hint = isOfOthers ? '' : (written?.hint ?? schema.description ?? '');
  return { label, hint, values: written?.values ?? {} };
}
