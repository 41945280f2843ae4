// The form of a search within the site's own texts.
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from './icon.ts';
import type { Page } from './site.ts';

/** @param path of the page that answers, without the site's base. @param classes further classes of the form */
export const searchForm = (
  { t, href }: Page,
  { path, label, query, classes = '' }: { path: string; label: string; query: string; classes?: string },
): Html =>
  html`<form class="secret ${classes}" method="get" action="${href(path)}" role="search">
    <div class="search grow">
      ${icon('search')}<input
        class="input"
        type="search"
        name="q"
        value="${query}"
        aria-label="${label}"
        placeholder="${label}"
        maxlength="200"
      />
    </div>
    <button class="btn" type="submit">${t.docs.find}</button>
  </form>`;
