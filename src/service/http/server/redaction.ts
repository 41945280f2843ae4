import type { RouteOptions } from 'fastify';
import { secretPrefixes } from '../../rules/accounts/access.ts';

export const censor = '[redacted]';

/** Removes credentials from texts of the log. */
export interface Redaction {
  /** Learns which parameters of the route are credentials: `:token`, and those of `config.secret`. */
  add(route: Pick<RouteOptions, 'url' | 'config'>): void;
  text(text: string): string;
}

/** An address as it is, and as a parameter of another one: `next=%2Fconnect%2F...`. */
const writings = [
  { write: (path: string) => path, parameter: /^[^/?#&]+/ },
  { write: encodeURIComponent, parameter: /^(?:(?!%2F|%3F|%23)[^/?#&])+/i },
] as const;

/**
 * The credentials of links are parameters of routes, so the list is made from the routes.
 * @param rootPath path prefix in a host app
 */
export function createRedaction(rootPath = ''): Redaction {
  const prefixes = new Set<string>();
  // Not ours, but clients put keys there.
  const queryNames = new Set(['token', 'access_token']);
  let inQuery = queryPattern(queryNames);
  const keys = new RegExp(`\\b(${secretPrefixes.join('|')})\\w+`, 'g');

  /** Where the path's parameter begins; -1: it is not this path. */
  function parameterAt(word: string, prefix: string, write: (path: string) => string): number {
    // A proxy may add a path to a whole address. Others begin with it: paths of files in stack traces do not.
    if (/^https?:/i.test(word)) return word.includes(prefix) ? word.indexOf(prefix) + prefix.length : -1;
    const start = [rootPath, ''].map((root) => write(root + prefix)).find((path) => word.startsWith(path));
    return start === undefined ? -1 : start.length;
  }

  /** A word of a text, which may be the address of one of our links. */
  function redactWord(word: string): string {
    let shown = word;
    for (const prefix of prefixes)
      for (const { write, parameter } of writings) {
        const at = parameterAt(shown, prefix, write);
        if (at !== -1) shown = shown.slice(0, at) + shown.slice(at).replace(parameter, censor);
      }
    return shown;
  }

  return {
    add({ url, config }) {
      const names = new Set(['token', ...(config?.secret ?? [])]);
      const inPath = new Set<string>();
      const segments = url.split('/');
      for (const [index, segment] of segments.entries())
        if (segment.startsWith(':') && names.has(segment.slice(1))) {
          inPath.add(segment.slice(1));
          const before = segments.slice(0, index);
          if (!before.some((each) => each.startsWith(':'))) prefixes.add(`${before.join('/')}/`);
          else throw new TypeError(`${url}: a secret parameter must be the first one of its path`);
        }
      for (const name of config?.secret ?? []) if (!inPath.has(name)) queryNames.add(name);
      inQuery = queryPattern(queryNames);
    },
    text: (text) =>
      text
        .replace(inQuery, `$1${censor}`)
        .replace(/[^\s"'<>()=]+/g, redactWord)
        .replace(keys, `$1${censor}`)
        .replace(/\bBearer\s+[^\s"',]+/gi, `Bearer ${censor}`)
        .replace(/((?:session_token|svc\.\w+)=)[^;\s"']+/g, `$1${censor}`),
  };
}

const queryPattern = (names: ReadonlySet<string>): RegExp =>
  new RegExp(`((?:[?&]|%3F|%26)(?:${[...names].join('|')})(?:=|%3D))[^&#\\s"'<>]+`, 'gi');
