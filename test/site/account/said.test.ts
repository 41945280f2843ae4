// What pages say of refusals: by code and reason, in the page's language.
import { expect, it } from 'vitest';
import { requireTool } from '../../../src/library/tools/registry.ts';
import { errors as german } from '../../../src/service/http/site/strings/de/errors.ts';

interface Said {
  saidIn(texts: typeof german, problem: object): string;
  helpIn(texts: typeof german, problem: object): string | undefined;
}
// A page's script has types of its own.
const { helpIn, saidIn } = (await import(new URL('../../../src/site/account/said.ts', import.meta.url).href)) as Said;

const problem = { code: 'bad_request', message: 'Expected words', nextAction: 'Correct it.', retryable: false };

it('says a refusal by its reason in the language of the page, and otherwise in the words of the service', () => {
  const [refusal] = requireTool('redact_audio').refuse({ file_id: [{}] }, {});
  const known = { ...problem, details: { reason: refusal?.reason ?? '' } };
  expect(saidIn(german, known)).toMatch(/^Sagen Sie, was herausgenommen wird/);
  expect(helpIn(german, known)).toBeUndefined();
  const [empty] = requireTool('label_audio').refuse({ file_id: [{}] }, {});
  const nothing = { ...problem, details: { reason: empty?.reason ?? '' } };
  expect(saidIn(german, nothing)).toMatch(/^Noch ist nichts ausgefüllt/);
  for (const other of [problem, { ...problem, details: { reason: 'another' } }, { ...problem, details: null }]) {
    expect(saidIn(german, other)).toBe('Expected words');
    expect(helpIn(german, other)).toBe('Correct it.');
  }
  expect(saidIn(german, { ...problem, code: 'no_audio' })).toBe(german['no_audio']);
});
