import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openapiDocument, operationsOf, type DocumentSchema } from '../../../../scripts/reference/openapi-document.ts';
import { slow } from '../../../fixtures/rounds.ts';

const document = await openapiDocument();
const operations = operationsOf(document).map(({ operation }) => operation);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'document', ...(document as object) });

/** Why a value does not fit a schema of the document; '' when it does. */
function misfit(schema: DocumentSchema, value: unknown): string {
  const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object;
  const validate = ajv.compile(whole);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (id, operation) => {
  const { responses, requestBody, parameters = [] } = operation;
  const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, each]) => [status, type, each] as const),
  );

  it('has an example of every JSON answer, which is one', () => {
    for (const [status, type, { schema, example }] of answers) {
      // The free API's 200 is whatever the tool makes.
      if (type !== 'application/json' || Object.keys(schema).length === 0) continue;
      expect(example, `${id} ${status}`).toBeDefined();
      expect(misfit(schema, example), `${id} ${status}`).toBe('');
    }
  });

  it('has an example of its body and of what it needs, which fit', slow, () => {
    const body = requestBody?.content['application/json'];
    if (body !== undefined) {
      const values = Object.values((body.examples ?? {}) as Record<string, { value: unknown }>).map(
        ({ value }) => value,
      );
      if (body.example !== undefined) values.push(body.example);
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) expect(misfit(body.schema, value), JSON.stringify(value)).toBe('');
    }
    for (const { name, required, schema, example } of parameters) {
      if (required) expect(example, name).toBeDefined();
      if (example !== undefined) expect(misfit(schema, example), name).toBe('');
    }
  });
});
