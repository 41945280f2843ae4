import { expect, it } from 'vitest';
import { html, jsonScript, render, renderDocument, trusted } from '../../../src/library/core/markup.ts';

it('escapes texts and attributes, also in lists and in components', () => {
  const evil = '"><script>alert(1)</script>&';
  const escaped = '&quot;>&lt;script>alert(1)&lt;/script>&amp;';
  const item = (text: string) => html`<b title="${text}" ...${{ lang: text }}>${text}</b>`;
  expect(render(html`<i>${[item(evil), evil]}</i>`)).toBe(
    `<i><b title="${escaped}" lang="${escaped}">${escaped}</b>${escaped}</i>`,
  );
});

it('writes nothing for what is not there', () => {
  const nothing = [false, null, undefined, true];
  expect(render(html`<b class="${undefined}" hidden="${false}" lang="${null}">${nothing}</b>`)).toBe('<b></b>');
  expect(render(html`<input type="checkbox" checked="${true}" value="${0}" />`)).toBe(
    '<input type="checkbox" checked value="0"/>',
  );
});

it('keeps a space where a template has a line break, as HTML does, and the line breaks of texts', () => {
  const template = html`<b>one</b> <i>two</i>`;
  expect(render(html`<b>${template}, ${'a\n  b'}</b>`)).toBe('<b><b>one</b> <i>two</i>, a\n  b</b>');
});

it('takes what is HTML already only where a template says so', () => {
  expect(render(html`<svg ...${trusted('<path d="M0 0" />')} />`)).toBe('<svg><path d="M0 0" /></svg>');
  const stored = JSON.parse('{"type":"b","key":null,"props":{"dangerouslySetInnerHTML":{"__html":"<i>x</i>"}}}');
  expect(render(html`<b>${stored}</b>`)).toBe('<b></b>');
});

it('renders the same template again and again with its own values', () => {
  const row = (text: string) => html`<b>${text}<svg class="icon" /></b>`;
  const all = () => render(['a', 'b'].map(row));
  const expected = '<b>a<svg class="icon"></svg></b><b>b<svg class="icon"></svg></b>';
  expect([all(), all()]).toEqual([expected, expected]);
});

it('hands data to a script so that it cannot end its element', () => {
  const data = { text: '</script><!--<b>&"' };
  const made = render(jsonScript('data', data));
  expect(made.match(/<\/script>/g)).toHaveLength(1);
  expect(JSON.parse(made.replace(/^<script type="application\/json" id="data">|<\/script>$/g, ''))).toEqual(data);
});

it('writes a whole document', () =>
  expect(renderDocument(html`<html lang="en" />`)).toBe('<!doctype html>\n<html lang="en"></html>\n'));
