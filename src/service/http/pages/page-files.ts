import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { packagePath, sourceUrl } from '../../../library/core/running-files.ts';

/** Files for browsers: styles, and in dist the scripts of src/site that are part of a page. */
const folder = sourceUrl('service/http/pages/browser/');

/** The style of a page, for a style element. */
export const readStyle = (name: string): string => fit(readFileSync(new URL(name, folder), 'utf8'), 'style', name);

/** The export of scripts/build-site.mjs. */
interface Builder {
  buildPageScript(name: string): Promise<string>;
}

/** The script of a page, for a script element: the built one; on the sources, one that is built now. */
export async function readScript(name: string): Promise<string> {
  const built = new URL(`${name}.js`, folder);
  if (existsSync(built)) return fit(readFileSync(built, 'utf8'), 'script', name);
  const builder = (await import(pathToFileURL(packagePath('scripts/build-site.mjs')).href)) as Builder;
  return fit(await builder.buildPageScript(name), 'script', name);
}

/** The text must not end its element. */
function fit(text: string, element: 'script' | 'style', name: string): string {
  if (new RegExp(`</${element}|<!--`, 'i').test(text)) throw new TypeError(`${name} would end its ${element} element`);
  return text;
}
