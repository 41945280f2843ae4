// What a tab makes of declarations, beside the package that Node uses.
import * as Real from 'typebox/type';
import { expect, it } from 'vitest';
import * as Tab from '../../src/browser/in-place-of/package/typebox-type.ts';

/** The functions that declarations call, as either module has them. */
type Types = typeof Real;

/** A schema with every function, nested as declarations nest them. */
const made = (Type: Types): unknown => {
  const word = Type.String({ minLength: 1, maxLength: 80, description: 'A word' });
  const range = Type.Tuple([Type.Number({ minimum: 0 }), Type.Union([Type.Number(), Type.Null()])], {
    default: [0, 1],
  });
  return Type.Object(
    {
      word,
      left: Type.Optional(word),
      kind: Type.Enum(['a', 'b'], { default: 'a' }),
      kinds: Type.Optional(Type.Array(Type.Enum(['a', 'b']), { minItems: 1 })),
      ranges: Type.Array(range),
      only: Type.Literal('all', { description: 'Everything' }),
      count: Type.Integer({ minimum: 1 }),
      named: Type.Record(Type.String(), Type.Boolean({ default: true })),
      inner: Type.Optional(Type.Object({ all: Type.Optional(Type.Boolean()) })),
    },
    { additionalProperties: false },
  );
};

it('are the same JSON', () => {
  const real = JSON.parse(JSON.stringify(made(Real))) as object;
  expect(real).toHaveProperty('required', ['word', 'kind', 'ranges', 'only', 'count', 'named']);
  expect(JSON.parse(JSON.stringify(made(Tab as unknown as Types)))).toEqual(real);
});
