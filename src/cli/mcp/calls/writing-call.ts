// What calls have in common that start a job which writes files.
import * as Type from 'typebox/type';
import type { Static, TObject, TProperties } from 'typebox/type';
import { createOptionsParser } from '../../../library/core/checks/schema.ts';
import type { OptionRule } from '../../../library/tools/declare/refusals.ts';
import { lenientValues } from '../../../library/tools/lenient-values.ts';
import type { LocalJobs, Work } from '../jobs/local-jobs.ts';
import type { LocalCall } from './call.ts';
import { answerCall } from './jobs.ts';

/** Fields of all of them; the server's instructions say what output_dir is. */
const placeFields = { output_dir: Type.Optional(Type.String()), overwrite: Type.Optional(Type.Boolean()) };

type Asked<Fields extends TProperties> = Static<TObject<Fields & typeof placeFields>>;

interface Declared<Fields extends TProperties> extends Pick<
  LocalCall,
  'name' | 'title' | 'description' | 'outputSchema' | 'group'
> {
  readonly fields: Fields;
  /** How a field is shown where its schema is not for models; null: it is not shown. */
  readonly shown?: Readonly<Record<string, object | null>>;
  readonly rules?: Readonly<Record<string, OptionRule>>;
  /** What the job depends on, as JSON, and what it does. */
  readonly start: (asked: Asked<Fields>) => Promise<readonly [given: object, work: Work]>;
}

export function writingCall<Fields extends TProperties>(
  jobs: LocalJobs,
  { fields, shown = {}, rules, start, ...named }: Declared<Fields>,
): LocalCall {
  const schema = Type.Object({ ...fields, ...placeFields }, { additionalProperties: false });
  const parse = createOptionsParser<Asked<Fields>>(named.name, schema);
  const properties = Object.entries({ ...schema.properties, ...shown, output_dir: null });
  return {
    ...named,
    inputSchema: { ...schema, properties: Object.fromEntries(properties.filter(([, field]) => field !== null)) },
    usual: true,
    readOnly: false,
    replaces: true,
    async run(given, waiting) {
      const [request, work] = await start(parse(lenientValues(schema.properties, given, rules), 'json'));
      return answerCall(await jobs.start(named.name, request, work, waiting));
    },
  };
}
