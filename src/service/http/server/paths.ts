/** The path without the query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

/** /api/v1/files/:id -> /api/v1/files/{id} */
export const publicPath = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

/** Is the path equal to the prefix, or below it? /api/v1/files is under /api/v1, /api/v10 is not. */
export const isUnder = (path: string, prefix: string): boolean =>
  prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
