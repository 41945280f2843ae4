// Lists as people write them into a page's form.
import { expect, it } from 'vitest';
import { requireTool } from '../../../../src/library/tools/registry.ts';
import { createFormReader } from '../../../../src/service/http/try/form.ts';
import { asPageSends } from '../../../../src/service/http/try/page-forms.ts';
import { formOf } from '../../../../src/service/http/interface/tool-form.ts';
import type { OfferedTool } from '../../../../src/service/offers/offers.ts';

/** What a run is given of a text in the field of chapters. */
function chaptersOf(text: string): unknown {
  const form = formOf(requireTool('label_audio') as unknown as OfferedTool);
  const reader = asPageSends(form, createFormReader(form, 'text', false));
  const field = reader.fileField('file', false);
  reader.addFile(field, {} as Parameters<typeof reader.addFile>[1]);
  reader.addValue('chapters', text);
  return reader.finish().options['chapters'];
}

it('reads chapters as a time and a title in each line, and as JSON', () => {
  const chapters = [
    { start_seconds: 0, title: 'Intro' },
    { start_seconds: 90.5, title: 'Talk of 5 days' },
    { start_seconds: 3723, title: 'End' },
  ];
  expect(chaptersOf('0:00 Intro\r\n\n 1:30.5\tTalk of 5  days\n1:02:03 End')).toEqual(chapters);
  expect(chaptersOf(JSON.stringify(chapters))).toEqual(chapters);
});

it('refuses a line without a time or a title', () => {
  for (const line of ['Intro', '0:05', 'x:00 Intro', '0:00:00:00 Intro'])
    expect(() => chaptersOf(`0:00 Begin\n${line}`)).toThrow(line);
});
