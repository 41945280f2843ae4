import { readFileSync } from 'node:fs';
import { sourceUrl } from '../../../library/core/running-files.ts';

/** Files that browsers get, as they are: JavaScript modules with types in comments, and style. */
const folder = sourceUrl('service/http/pages/browser/');

const imports = /^import [^'"]*from '\.\/([\w-]+\.js)';$/gm;
const exportWord = /^export (?=(?:async )?function |const |class )/gm;

/** The style of a page, to stand in a style element. */
export const readStyle = (name: string): string => fit(readFileSync(new URL(name, folder), 'utf8'), 'style', name);

/**
 * A module and those that it imports as one classic script, which needs no further request and so no further address
 * in the page's policy. Their imports of each other and the word export fall away: all names share one scope, so no two
 * modules may have the same.
 * @throws TypeError on what this cannot join, such as a default export or a module from elsewhere
 */
export function readScript(name: string): string {
  const bodies = new Map<string, string>();
  const add = (module: string): void => {
    if (bodies.has(module)) return;
    const text = readFileSync(new URL(module, folder), 'utf8');
    for (const [, imported = ''] of text.matchAll(imports)) add(imported);
    const body = text.replace(imports, '').replace(exportWord, '').trim();
    if (/^(?:import|export)\b/m.test(body)) throw new TypeError(`${module} imports or exports in a way of its own`);
    bodies.set(module, body);
  };
  add(name);
  return fit(`'use strict';\n(() => {\n${[...bodies.values()].join('\n\n')}\n})();\n`, 'script', name);
}

/** What stands in an element must not end it. */
function fit(text: string, element: 'script' | 'style', name: string): string {
  if (new RegExp(`</${element}|<!--`, 'i').test(text)) throw new TypeError(`${name} would end its ${element} element`);
  return text;
}
