import type { ConnectedProgram } from '../../../rules/accounts/program-store.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { fill } from '../language/fill.ts';
import { shownTarget } from './consent.ts';
import { dateOf, timeOf } from './formats.ts';
import { cell, confirmed, head, hiddenHead, table } from './parts.ts';
import type { OwnPage } from './session.ts';
import type { Action } from './view.ts';

/** Where a program may be ended. */
export const endProgram: Readonly<Record<string, Action>> = {
  '/account/programs/end': async (page, { program = '' }) => {
    await page.site.service.programs?.end(page.account, program);
    return '/account';
  },
};

/** The programs that act for the account; null where the service issues no access tokens. */
export async function programPanel(page: OwnPage): Promise<Html | null> {
  const { t, href, site, account } = page;
  const { programs } = site.service;
  if (programs === null) return null;
  const texts = t.programs;
  const rows = (await programs.list(account)).map((program) => programRow(page, program));
  return html`<section class="panel" aria-labelledby="programs">
    <div class="panel-head"><h2 id="programs" class="label">${texts.title}</h2></div>
    ${
      rows.length === 0
        ? html`<p class="pad soft">${texts.none}</p>`
        : table(
            [
              head(texts.program),
              head(texts.may),
              head(texts.since),
              head(texts.lastUsed),
              hiddenHead(t.account.actions),
            ],
            rows,
            texts.title,
          )
    }
    <div class="panel-foot">
      <p class="small soft">${texts.keys} <a href="${href('/keys')}">${t.account.sections.keys}</a>.</p>
    </div>
  </section>`;
}

function programRow(page: OwnPage, { id, name, redirectUris, createdAt, lastUsedAt }: ConnectedProgram): Html {
  const { language, t } = page;
  const texts = t.programs;
  const shown = name ?? texts.noName;
  const target = redirectUris[0] === undefined ? '' : fill(texts.goesTo, { target: shownTarget(redirectUris[0]) });
  return html`<tr>
    <th scope="row" class="break"><bdi>${shown}</bdi> <span class="soft small">${target}</span></th>
    ${cell(texts.may, texts.rights)}${cell(texts.since, dateOf(language, createdAt))}
    ${cell(texts.lastUsed, lastUsedAt === null ? texts.never : timeOf(language, lastUsedAt))}
    <td class="r act">
      ${confirmed(page, '/account/programs/end', { button: texts.end, what: shown, consequence: texts.endHelp, yes: texts.endYes }, html`<input type="hidden" name="program" value="${id}" />`)}
    </td>
  </tr>`;
}
