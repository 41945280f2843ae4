// What the pages of the reference are put together from.
import { describeExpected, type OptionSchema } from '../../src/library/core/checks/schema.ts';

/** Text in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trim()}\n\`\`\``;

/** What a value must be: "integer between 0 and 200". A list of objects: its length alone. */
export function expected(schema: OptionSchema): string {
  const { items } = schema;
  const isListOfObjects = (items as OptionSchema | undefined)?.type === 'object';
  return describeExpected(isListOfObjects ? { ...schema, items: {} } : schema).replace(/, each value$/, ' of objects');
}

export const defaultOf = ({ default: preset }: OptionSchema): string =>
  preset === undefined ? '' : code(typeof preset === 'string' ? preset : JSON.stringify(preset));

/** In front of every page: what made it. */
export const madeBy = (title: string, introduction: string): string =>
  `# ${title}\n\n<!-- Made by \`npm run reference\`: edit the declarations, not this page. -->\n\n${introduction}`;
