import { createHash } from 'node:crypto';
import { html, type Html, type Part, renderDocument, trusted } from '../../../core/markup.ts';
import { markup } from './html.ts';

const style = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1f24;--soft:#5a616b;--line:#d4d8de;--wave:#2f6fed;--cut:#f3b0a8;--gain:#b3421a;--note:#fff6dc}
@media (prefers-color-scheme:dark){:root{--paper:#14161a;--ink:#e6e8ec;--soft:#a0a7b2;--line:#3a3f47;--wave:#6c9bff;--cut:#6b2b26;--gain:#ff9466;--note:#332b14}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:16px;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.2em 0}
h2{font-size:1.15rem;margin:1.8em 0 .4em}
p{margin:.4em 0}
figure{margin:1em 0}
figcaption,.soft{color:var(--soft);font-size:.9rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:4px 8px 4px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{color:var(--soft);font-weight:normal;font-size:.9rem}
tbody th{font-weight:normal}
td.number,th.number{text-align:right;white-space:nowrap}
thead th.number{white-space:normal;overflow-wrap:anywhere;min-width:5em}
table{overflow-wrap:normal}
.scroll{overflow-x:auto}
.warnings li{background:var(--note);padding:6px 10px;margin:6px 0;border-radius:4px}
.warnings{list-style:none;padding:0}
pre{white-space:pre-wrap;font-size:.85rem;max-height:30em;overflow:auto;border:1px solid var(--line);padding:8px;border-radius:4px}
.chart{display:block;overflow:visible}
.peaks{fill:var(--wave);opacity:.4}
.body{fill:var(--wave)}
.zero{stroke:var(--soft);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}
.grid{stroke:var(--line);stroke-width:1}
.axis{stroke:var(--soft);stroke-width:1}
.level{stroke:#fff;stroke-width:1}
.cut{fill:var(--cut)}
.dark{fill:#000004}
.gain{stroke:var(--gain);stroke-width:2;stroke-linecap:round;stroke-linejoin:round;fill:none;vector-effect:non-scaling-stroke}
text{font:12px system-ui,sans-serif;fill:var(--soft)}
text.over{fill:#fff;stroke:#000;stroke-width:3px;paint-order:stroke}
.key{display:inline-block;width:1em;height:.8em;background:var(--cut);vertical-align:baseline}
@media (max-width:640px){.wide{display:none}body{padding:12px}table{font-size:.8rem}thead th{font-size:.8rem}td,th{padding-right:5px}}
`;

/** Nothing from elsewhere, no scripts, and no style but this one: names in the page can do nothing. */
const policy =
  `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'";

/** One file that needs no other. */
export const page = (title: string, body: Part): string =>
  renderDocument(
    markup`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${html`<style ...${trusted(style)} />`}
      </head>
      <body>${body}</body>
    </html>`,
  );

/** @param numbers columns of numbers, from 0 */
export function table(
  head: readonly string[],
  rows: readonly (readonly Part[])[],
  numbers: readonly number[] = [],
): Html {
  const side = (column: number): string | null => (numbers.includes(column) ? 'number' : null);
  const cells = (row: readonly Part[]): Html[] =>
    row.map((cell, column) =>
      column === 0 ? markup`<th scope="row">${cell}</th>` : markup`<td class="${side(column)}">${cell}</td>`,
    );
  const titles = head.map((title, column) => markup`<th scope="col" class="${side(column)}">${title}</th>`);
  const top =
    head.length === 0
      ? ''
      : markup`<thead>
          <tr>
            ${titles}
          </tr>
        </thead>`;
  return markup`<div class="scroll">
    <table>
      ${top}
      <tbody>
        ${rows.map(
          (row) =>
            markup`<tr>
              ${cells(row)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

export const section = (title: string, ...content: readonly Part[]): Html =>
  markup`<section>
    <h2>${title}</h2>
    ${content}
  </section> `;
