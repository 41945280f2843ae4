import { errorAnswer } from '../interface/errors.ts';
import type { Dialect } from '../server/dialect.ts';
import { pageHeaders, pageText } from './frame/layout.ts';
import { problemPage } from './frame/problem-page.ts';
import { assetRoutes, engineRoutes } from './frame/asset-routes.ts';
import { choiceRoutes } from './frame/choice-routes.ts';
import { offlineRoutes } from './frame/offline.ts';
import { crawlerRoutes } from './about/crawlers.ts';
import { helpRoutes } from './about/help-page.ts';
import { keptRoutes } from './about/kept-page.ts';
import { legalRoutes } from './about/legal-pages.ts';
import { pricesRoutes } from './about/prices-page.ts';
import { docsRoutes } from './docs/docs-pages.ts';
import { editorPages } from './editor/editor-page.ts';
import { editorRoutes } from './editor/editor-routes.ts';
import { sharedPages } from './editor/shared-page.ts';
import { frontRoutes, toolIndexRoutes } from './front/front.ts';
import { noteRoutes } from './account/note-routes.ts';
import { ownRoutes } from './account/routes.ts';
import { cancelRoutes, runRoutes } from './tools/run-page.ts';
import { ownFileRoutes } from './tools/own-files.ts';
import { toolRoutes } from './tools/tool-page.ts';
import { chainFormRoutes } from './recipes/chain-forms.ts';
import { chainPageRoutes } from './recipes/chain-page.ts';
import { fileRoutes } from './recipes/file-routes.ts';
import { recipeRoutes } from './recipes/recipe-page.ts';
import { type Site, visitorPage } from './frame/site.ts';

/** The website, for people: pages, and what they load. */
export function siteDialect(site: Site): Dialect {
  return {
    name: 'site',
    prefixes: ['/'],
    pathHelp: `Check the path; ${site.rootPath}/api/openapi.json lists all of them.`,
    errorAnswer(error, request) {
      const answer = errorAnswer(error, request);
      // Programs get the answers of the APIs.
      if (request?.headers.accept?.includes('text/html') !== true) return answer;
      const page = visitorPage(site, request);
      const content = problemPage(page, error);
      return { ...answer, headers: pageHeaders(content), body: pageText(page, content) };
    },
    async routes(scope) {
      await ownRoutes(scope, site);
      await chainFormRoutes(scope, site);
      await sharedPages(scope, site);
      for (const register of [
        assetRoutes,
        engineRoutes,
        offlineRoutes,
        choiceRoutes,
        frontRoutes,
        toolIndexRoutes,
        toolRoutes,
        ownFileRoutes,
        runRoutes,
        docsRoutes,
        pricesRoutes,
        helpRoutes,
        keptRoutes,
        legalRoutes,
        crawlerRoutes,
        editorPages,
        editorRoutes,
        noteRoutes,
        recipeRoutes,
        chainPageRoutes,
        fileRoutes,
      ])
        register(scope, site);
      // In its own scope, because it parses forms.
      await scope.register(async (inner) => cancelRoutes(inner, site));
    },
  };
}
