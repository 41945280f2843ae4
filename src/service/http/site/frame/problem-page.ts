import type { EarshotError } from '../../../../library/core/errors/errors.ts';
import { statusOf } from '../../server/errors.ts';
import { errorText } from '../language/said.ts';
import { html } from '../../../../library/core/markup.ts';
import { icon } from './icon.ts';
import type { Content } from './layout.ts';
import type { Page } from './site.ts';

/** An error as a page: what went wrong, what to do, the code last. */
export function problemPage({ t, href, requestId }: Page, error: EarshotError): Content {
  const { problem } = t;
  const status = statusOf(error);
  const title =
    error.code === 'not_found'
      ? problem.notFound
      : error.code === 'rate_limited'
        ? problem.limited
        : status >= 500
          ? problem.failed
          : problem.title;
  const { message, nextAction } = errorText(t, error);
  const help = error.code === 'not_found' ? problem.notFoundHelp : message;
  return {
    title,
    status,
    body: html`<div class="wrap stop">
      <div class="flatline" aria-hidden="true"></div>
      <h1>${title}</h1>
      <p class="lead">${help}</p>
      ${error.code !== 'not_found' && nextAction !== '' && html`<p>${nextAction}</p>`}
      <p><a class="btn go" href="${href('/')}">${icon('left')}${problem.toFront}</a></p>
      <p class="small soft">
        ${problem.code} <code>${error.code}</code> · ${problem.request} <code>${requestId}</code>
      </p>
    </div>`,
  };
}
