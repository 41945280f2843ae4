// In place of node:path, for the paths of a run: they begin with a slash.

export const sep = '/';

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

const lastOf = (path: string): string => withoutSlashes(path).split('/').at(-1) ?? '';

export function basename(path: string, suffix = ''): string {
  const name = lastOf(path);
  return suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

export function extname(path: string): string {
  const name = lastOf(path);
  const at = name.lastIndexOf('.');
  return at > 0 ? name.slice(at) : '';
}

export function dirname(path: string): string {
  const at = withoutSlashes(path).lastIndexOf('/');
  return at > 0 ? path.slice(0, at) : at === 0 ? '/' : '.';
}

export const isAbsolute = (path: string): boolean => path.startsWith('/');

export function join(...parts: readonly string[]): string {
  const out: string[] = [];
  const whole = parts.filter((part) => part !== '').join('/');
  for (const part of whole.split('/'))
    if (part === '..') out.pop();
    else if (part !== '' && part !== '.') out.push(part);
  return `${whole.startsWith('/') ? '/' : ''}${out.join('/')}`;
}

export const resolve = (...parts: readonly string[]): string => {
  const from = parts.findLastIndex(isAbsolute);
  return join('/', ...parts.slice(Math.max(0, from)));
};

export const relative = (from: string, to: string): string =>
  to.startsWith(`${from}/`) ? to.slice(from.length + 1) : to;
