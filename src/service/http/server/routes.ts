import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { unknownName } from '../../../library/core/checks/names.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';
import { pathOf, publicPath } from './paths.ts';

/**
 * Remembers all routes, to distinguish a wrong method from a wrong path. Must be called before routes are registered.
 */
export function rememberRoutes(
  app: FastifyInstance,
  dialectOf: (request: FastifyRequest) => Dialect,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const routes: { readonly pattern: RegExp; readonly method: string; readonly route: RouteOptions }[] = [];
  app.addHook('onRoute', (route) => {
    const { url, method } = route;
    const pattern = new RegExp(
      `^${url
        .split('/')
        .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
        .join('/')}$`,
    );
    for (const name of [method].flat()) routes.push({ pattern, method: name, route });
  });

  return (request, reply) => {
    const path = pathOf(request.url);
    const asked = pathOf(request.originalUrl);
    // Routes of another host do not count.
    const here = ({ config }: RouteOptions): boolean =>
      config?.dialect?.host === undefined || config.dialect === dialectOf(request);
    const methods = [
      ...new Set(routes.filter(({ pattern, route }) => pattern.test(path) && here(route)).map(({ method }) => method)),
    ];
    if (methods.length === 0)
      throw new EarshotError('not_found', `There is no path ${asked.slice(0, 200)}`, {
        nextAction: dialectOf(request).pathHelp ?? 'Check the path.',
      });
    reply.header('allow', methods.join(', '));
    const error = new EarshotError(
      'not_found',
      `There is no ${request.method} for ${asked.slice(0, 200)}; expected ${methods.join(', ')}`,
      { nextAction: 'Use another method.' },
    );
    // The catalogue has no code for it, but HTTP has a status.
    sendError(error, request, reply, dialectOf(request), 405);
  };
}

/**
 * Checked before an operation's schema: refuses an unexpected body, and replaces an absent optional one by {}.
 */
export function checkBodyPresence(request: FastifyRequest): void {
  const { schema, config, method, url } = request.routeOptions;
  if (schema === undefined || config.rawBody === true) return;
  const { body } = schema as { body?: { required?: readonly string[]; type?: string } };
  if (body === undefined) {
    const given = request.body;
    if (given === undefined || given === null) return;
    const [name] = typeof given === 'object' ? Object.keys(given) : [];
    if (typeof given !== 'object' || Array.isArray(given)) throw badValue('body', 'no body', given);
    if (name !== undefined)
      throw unknownName(name, `${[method].flat().join()} ${publicPath(url ?? '')}`, [], 'field', true);
    return;
  }
  if (body.type === 'object' && (body.required ?? []).length === 0 && request.body === undefined) request.body = {};
}
