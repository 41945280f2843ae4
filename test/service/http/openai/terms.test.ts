// What of a prompt is a name or a term.
import { expect, it } from 'vitest';
import { termsOf } from '../../../../src/service/http/openai/terms.ts';

it.each([
  ['', []],
  ['Zyntriqix, Digique Plus, CynapseFive', ['Zyntriqix', 'Digique Plus', 'CynapseFive']],
  ['Glossary: endoscopy; hepatitis B\nENT', ['endoscopy', 'hepatitis B', 'ENT']],
  ['Hello, this is Anna from Zyntriqix, and we talk about GPT-4 today.', ['Anna', 'Zyntriqix', 'GPT-4']],
  ['The transcript is about OpenAI which makes technology like DALL-E. It is new.', ['OpenAI', 'DALL-E']],
  ['please use punctuation and write numbers as digits', []],
  ['a, 12, x', []],
  ['x'.repeat(81), []],
  ['Same, Same', ['Same']],
])('%j gives %j', (prompt, terms) => {
  expect(termsOf(prompt)).toEqual(terms);
});

it('takes no more than 500', () => {
  expect(termsOf(Array.from({ length: 600 }, (_, index) => `Name${index}`).join(', '))).toHaveLength(500);
});
