// In place of node:path, for the paths of a run: they begin with a slash.

export const sep = '/';

const lastOf = (path: string): string => path.replace(/\/+$/u, '').split('/').at(-1) ?? '';

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
  const at = path.replace(/\/+$/u, '').lastIndexOf('/');
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
