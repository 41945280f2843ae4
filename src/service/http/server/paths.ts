/** The path without the query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

/** Express style to the interface's: /api/v1/files/:id -> /api/v1/files/{id}. */
export const publicPath = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

/** Whether a path is the prefix itself or goes on behind a slash: /api/v1 has /api/v1/files, not /api/v10. */
export const isUnder = (path: string, prefix: string): boolean =>
  prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
