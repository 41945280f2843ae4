// Writes the lists that name every tool, every language of fillers and every language of the website, from the folders
// that hold them: who adds one writes its files and runs this. The order of each list is kept; what is new comes last,
// and lines may be moved by hand. Usage: npm run types:write, or with --check to be told when a list is stale
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { writeMade } from './write-made.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const tools = 'src/library/tools';
const spoken = 'src/library/speech/languages';
const madeBy = (from: string): string => `// Made by scripts/write-lists.ts from ${from}: \`npm run types:write\`.\n`;

/** A tool as its folder declares it. */
interface Declared {
  readonly id: string;
  readonly slug: string;
  /** Of the constant in tool.ts: "cutAudio". */
  readonly name: string;
  /** `work` as it is written: what a run costs and needs. */
  readonly work: string;
  /** That result.ts exports. */
  readonly types: readonly string[];
}

/** `export const cutAudio = defineTool({ id: 'cut_audio', slug: 'cut', ... })`, read and not run. */
function declaredIn(folder: string): Declared {
  const file = join(tools, folder, 'tool.ts');
  const source = readFileSync(join(root, file), 'utf8');
  let work: string | null = null;
  for (const statement of parseSync(file, source).program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { id: name, init } of declaration.declarations) {
      if (init?.type !== 'CallExpression' || name.type !== 'Identifier') continue;
      const [object] = init.arguments;
      if (object?.type !== 'ObjectExpression') continue;
      const texts = new Map<string, string>();
      for (const property of object.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
        const { name: field } = property.key;
        const { type, start, end } = property.value;
        if (property.value.type === 'Literal') texts.set(field, String(property.value.value));
        if (field === 'work' && type === 'ObjectExpression') work = source.slice(start, end);
      }
      const [id, slug] = [texts.get('id'), texts.get('slug')];
      if (id === undefined || slug === undefined) continue;
      if (work === null) throw new Error(`${file}: expected work: { ... }, written out, but there is none`);
      if (id !== folder) throw new Error(`${file}: expected the id ${folder}, as the folder, but it says ${id}`);
      return { id, slug, name: name.name, work, types: typesIn(folder) };
    }
  }
  throw new Error(`${file}: expected an exported constant with defineTool({ id: '...', slug: '...', ... })`);
}

function typesIn(folder: string): string[] {
  const file = join(tools, folder, 'result.ts');
  const found: string[] = [];
  for (const statement of parseSync(file, readFileSync(join(root, file), 'utf8')).program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const { declaration, specifiers } = statement;
    if (declaration?.type === 'TSInterfaceDeclaration' || declaration?.type === 'TSTypeAliasDeclaration')
      found.push(declaration.id.name);
    for (const { exported } of specifiers) if (exported.type === 'Identifier') found.push(exported.name);
  }
  return found.toSorted();
}

/** What there is, in the order of the file as it is now; what it does not name yet comes last. */
function inOrderOf<Item>(file: string, items: readonly Item[], line: (item: Item) => string): Item[] {
  const before = readFileSync(join(root, file), 'utf8');
  const place = (item: Item): number => {
    const at = before.indexOf(line(item));
    return at < 0 ? Infinity : at;
  };
  return items.toSorted((a, b) => place(a) - place(b) || line(a).localeCompare(line(b)));
}

const pascal = (id: string): string => id.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const declared = globSync(`${tools}/*_*/tool.ts`, { cwd: root })
  .map((file) => basename(join(root, file, '..')))
  .toSorted()
  .map(declaredIn);
const byName = declared.toSorted((a, b) => a.id.localeCompare(b.id));
const others = ['spoken-language', 'every-language', 'language-of'];
const languages = readdirSync(join(root, spoken))
  .map((name) => basename(name, '.ts'))
  .filter((name) => !others.includes(name))
  .toSorted();
const withFillers = languages.filter(
  (code) => !/^ {2}fillers: null,$/m.test(readFileSync(join(root, spoken, `${code}.ts`), 'utf8')),
);

const strings = 'src/service/http/site/strings';
const shown = readdirSync(join(root, strings), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();
const shownFile = `${strings}/every-language.ts`;

const slugsFile = 'src/library/contract/tool-slugs.ts';
const workFile = 'src/library/contract/tool-work.ts';
const declaredFile = `${tools}/declared.ts`;
const languagesFile = 'src/library/contract/filler-languages.ts';
const spokenFile = `${spoken}/every-language.ts`;

const lists: Readonly<Record<string, string>> = {
  [slugsFile]: `${madeBy('the tools')}
/** The tools of the service interface: public id -> slug (the free API's path segment and the CLI's command). */
export const toolSlugs = {
${inOrderOf(slugsFile, declared, ({ id }) => `\n  ${id}: `)
  .map(({ id, slug }) => `  ${id}: '${slug}',`)
  .join('\n')}
} as const;
`,
  [workFile]: `${madeBy('the tools')}
import type { ToolWork } from './tool-facts.ts';
import type { ToolId } from './tool-ids.ts';

/** What a run of each tool costs and needs, for those who may not load the declarations. */
export const toolWork: Readonly<Record<ToolId, ToolWork>> = {
${byName.map(({ id, work }) => `  ${id}: ${work},`).join('\n')}
};
`,
  [declaredFile]: `${madeBy('the tools')}
${byName.map(({ id, name }) => `import { ${name} } from './${id}/tool.ts';`).join('\n')}

/** Every tool, in the order in which people see them. */
export const declared = {
${inOrderOf(declaredFile, declared, ({ id }) => `\n  ${id}: `)
  .map(({ id, name }) => `  ${id}: ${name},`)
  .join('\n')}
};
`,
  [`${tools}/results.ts`]: `${madeBy('the tools')}
// What each tool answers besides files. Types only: reading them loads no tool.
${byName.map(({ id }) => `import type { ${pascal(id)}Result } from './${id}/result.ts';`).join('\n')}

${byName.map(({ id, types }) => `export type { ${types.join(', ')} } from './${id}/result.ts';`).join('\n')}
export type { LoudnessFacts, RecogniserFacts, VolumeFacts } from '../contract/tool-results.ts';

/** The result of each tool, by its public id. */
export interface ToolResultById {
${byName.map(({ id }) => `  readonly ${id}: ${pascal(id)}Result;`).join('\n')}
}
`,
  [languagesFile]: `${madeBy(spoken)}
/** Languages with a list of fillers. The interface names all but pt and pl. */
export const fillerLanguages = [
${inOrderOf(languagesFile, withFillers, (language) => `'${language}'`)
  .map((language) => `  '${language}',`)
  .join('\n')}
] as const;
`,
  [spokenFile]: `${madeBy(spoken)}
${languages.map((language) => `import { ${language} } from './${language}.ts';`).join('\n')}

/** Every language that has a file. The first of equals is guessed where a script could be several. */
export const languages = {
${inOrderOf(spokenFile, languages, (language) => `\n  ${language},`)
  .map((language) => `  ${language},`)
  .join('\n')}
};
`,
  [shownFile]: `${madeBy(strings)}
${shown.map((code) => `import { ${code} } from './${code}/index.ts';`).join('\n')}

/** The texts of the website, by the code of their language, in the order in which people choose. */
export const texts = {
${inOrderOf(shownFile, shown, (code) => `\n  ${code},`)
  .map((code) => `  ${code},`)
  .join('\n')}
};
`,
};

for (const [file, text] of Object.entries(lists)) writeMade(file, text, 'npm run types:write');
