import { readFileSync } from 'node:fs';
import { sourceUrl } from '../../../library/core/running-files.ts';

/** Files for browsers: JavaScript modules with types in comments, and styles. */
const folder = sourceUrl('service/http/pages/browser/');

const imports = /^import \{[^{}]*\} from '\.\/([\w-]+\.js)';$/gm;
const exportWord = /^export (?=(?:async )?function |const |class )/gm;

/** The style of a page, for a style element. */
export const readStyle = (name: string): string => fit(readFileSync(new URL(name, folder), 'utf8'), 'style', name);

/**
 * A module and its imports as one classic script, which needs no further requests. Imports and the keyword export are
 * removed; all names share one scope, so they must be unique.
 * @throws TypeError for unsupported syntax, such as a default export or an import from elsewhere
 */
export function readScript(name: string): string {
  const bodies = new Map<string, string>();
  const add = (module: string): void => {
    if (bodies.has(module)) return;
    const text = readFileSync(new URL(module, folder), 'utf8');
    for (const [, imported = ''] of text.matchAll(imports)) add(imported);
    const body = text.replace(imports, '').replace(exportWord, '').trim();
    if (/^(?:import|export)\b/m.test(body)) throw new TypeError(`${module} has an unsupported import or export`);
    bodies.set(module, body);
  };
  add(name);
  return fit(`'use strict';\n(() => {\n${[...bodies.values()].join('\n\n')}\n})();\n`, 'script', name);
}

/** The text must not end its element. */
function fit(text: string, element: 'script' | 'style', name: string): string {
  if (new RegExp(`</${element}|<!--`, 'i').test(text)) throw new TypeError(`${name} would end its ${element} element`);
  return text;
}
