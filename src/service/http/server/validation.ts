import { Ajv, type ErrorObject } from 'ajv';
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { jsonExcess } from '../../../library/core/json-text.ts';
import { shownName, unknownName } from '../../../library/core/checks/names.ts';
import {
  badInput,
  badValue,
  describeExpected,
  numberFromText,
  type OptionSchema,
  pathOf,
  placeOf,
} from '../../../library/core/checks/schema.ts';
import { publicPath } from './paths.ts';

const common = { useDefaults: true, allErrors: false, verbose: true, strict: false } as const;
/** Strict types: "5" is not 5. */
const bodies = new Ajv(common);
/** Query parameters are text: coerces types. */
const queries = new Ajv({ ...common, coerceTypes: true });

/** Compiles schemas into validators whose errors name the field, the expected and the received value. */
const compileValidator: FastifySchemaCompiler<
  OptionSchema & { readonly $id?: string; readonly discriminator?: unknown }
> = ({ schema: { $id: _id, discriminator, ...schema }, method, url, httpPart }) => {
  if (httpPart === 'params') return checkIds(schema);
  // Headers are only documented.
  if (httpPart === 'headers') return () => true;
  // A body of several kinds is validated by its handler.
  if (discriminator !== undefined) return () => true;
  const inQuery = httpPart === 'querystring';
  const subject = `${method} ${publicPath(url)}`;
  const validate = (inQuery ? queries : bodies).compile(schema);
  const known = Object.keys(schema.properties ?? {});

  return (data: unknown) => {
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      return { error: badValue('body', 'a JSON object', data ?? undefined, `the body of ${subject}`) };
    const unknown = Object.keys(data).find((name) => !known.includes(name));
    if (unknown !== undefined)
      return { error: unknownName(unknown, subject, known, inQuery ? 'query parameter' : 'field', true) };
    const notANumber = inQuery
      ? Object.entries(data).find(
          ([name, value]) => isNumeric(schema.properties?.[name]) && numberFromText(String(value)) === undefined,
        )
      : undefined;
    if (notANumber !== undefined) {
      const [name, value] = notANumber as [string, unknown];
      const expected = describeExpected(schema.properties?.[name] ?? {});
      return { error: badValue(name, expected, value, `${name} of ${subject}`) };
    }
    if (validate(data)) return { value: data };
    return { error: describe(validate.errors?.[0], schema, subject, known) };
  };
};

/** Ajv would coerce "Infinity", "1e400", "0x10" and "" to numbers. */
const isNumeric = (schema: OptionSchema | undefined): boolean =>
  schema?.type === 'number' || schema?.type === 'integer';

/** Validates requests by their schemas, but not responses. */
export function useCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  // Responses are built with their schema's type: compiled serializers would only slow down the start.
  app.setSerializerCompiler(() => JSON.stringify);
}

/** An invalid id in a path is not_found, not bad_request. */
function checkIds({ properties = {} }: OptionSchema): (params: unknown) => { value: unknown } | { error: Error } {
  const pattern = new RegExp(properties['id']?.pattern ?? '');
  return (params) => {
    const { id } = params as { id?: string };
    if (id === undefined || (id.length <= (properties['id']?.maxLength ?? Infinity) && pattern.test(id)))
      return { value: params };
    return {
      error: new EarshotError(
        'not_found',
        `Expected an id like ${properties['id']?.pattern} ` +
          `but received ${JSON.stringify(shownName(id))}, which names nothing`,
        { details: { id: shownName(id) } },
      ),
    };
  };
}

function describe(
  error: ErrorObject | undefined,
  schema: OptionSchema,
  subject: string,
  known: readonly string[],
): EarshotError {
  if (error === undefined)
    return new EarshotError('internal_error', `The validation of ${subject} failed without a reason`);
  const path = pathOf(error);
  const field = path[0] ?? subject;
  const place = placeOf(path);
  const parent = (error.parentSchema ?? {}) as OptionSchema;
  if (error.keyword === 'required') {
    const missing = (error.params as { missingProperty: string }).missingProperty;
    const property = place === '' ? schema.properties?.[missing] : parent.properties?.[missing];
    return badValue(
      place === '' ? missing : field,
      describeExpected(property ?? {}),
      undefined,
      place === '' ? `${missing} of ${subject}` : `${place}.${missing} of ${subject}`,
    );
  }
  if (error.keyword === 'additionalProperties')
    return unknownName(
      (error.params as { additionalProperty: string }).additionalProperty,
      place || subject,
      place === '' ? known : Object.keys(parent.properties ?? {}),
      'field',
      true,
    );
  return badValue(field, describeExpected(parent), error.data, place || subject);
}

/** NUL and lone surrogates are valid in JSON, but not in database text. */
// oxlint-disable-next-line no-control-regex -- matches NUL
const unstorable = /\0|[\uD800-\uDFFF]/u;

/** Accepts only JSON bodies, bounded before they are parsed, and no __proto__ keys; reads an empty body as absent. */
export function useJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    if (text === '') return done(null, undefined);
    const bounded = jsonExcess(text, request.routeOptions.config.jsonBounds);
    if (bounded !== undefined) return done(badInput('body', bounded, 'more', 'the body'));
    // Fastify's default parser is synchronous and calls back.
    return void parse(request, text, (error: Error | null, body?: unknown) => {
      if (error !== null) return done(error);
      const bad = text.includes('\\u') ? findUnstorable(body) : undefined;
      return bad === undefined ? done(null, body) : done(bad);
    });
  });
}

/** The same for the query, with %00; a path with such characters names nothing. */
export function checkAddress({ url, query, params }: FastifyRequest): void {
  if (!url.includes('%')) return;
  const bad = findUnstorable(query);
  if (bad !== undefined) throw bad;
  if (findUnstorable(params) !== undefined)
    throw new EarshotError('not_found', 'Expected a path without NUL characters but received one that has some');
}

/**
 * The error for a value that holds, at any depth, what the database cannot store: NUL, or half a surrogate pair.
 * undefined: it holds neither.
 * @param place name of the value in the error
 */
export function findUnstorable(value: unknown, place = 'the body'): EarshotError | undefined {
  if (typeof value === 'string')
    return unstorable.test(value)
      ? badInput(place, 'text without NUL characters and half surrogate pairs', 'such characters')
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const bad =
      findUnstorable(name, 'the name of a field') ?? findUnstorable(item, Array.isArray(value) ? place : name);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
