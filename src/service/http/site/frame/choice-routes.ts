import type { FastifyInstance } from 'fastify';
import { keepChoice } from './cookies.ts';
import { languageCookie, type Site, themeCookie, themes } from './site.ts';
import { ownPath } from './own-path.ts';
import { languageOf } from '../language/languages.ts';

/** GET /choose?lang=de&theme=dark&back=/docs: the form in the foot. */
export function choiceRoutes(scope: FastifyInstance, { rootPath }: Site): void {
  scope.get<{ Querystring: { lang?: string; theme?: string; back?: string } }>(
    '/choose',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const { lang, theme, back = '/' } = request.query;
      const path = `${rootPath}/`;
      const language = languageOf(lang);
      if (language !== undefined) keepChoice(request, reply, path, languageCookie, language.code);
      const chosen = themes.find((each) => each === theme);
      if (chosen !== undefined) keepChoice(request, reply, path, themeCookie, chosen);
      return reply.header('cache-control', 'no-store').redirect(rootPath + (ownPath(back) ?? '/'), 303);
    },
  );
}
