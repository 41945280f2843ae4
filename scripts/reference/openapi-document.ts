// openapi.json as the service answers it, without a service: no operation is called.
import { pino } from 'pino';
import { dialects } from '../../src/service/http/dialects.ts';
import { createApp } from '../../src/service/http/server/app.ts';
import { loadConfig } from '../../src/service/rules/settings/config.ts';
import type { Service } from '../../src/service/rules/service.ts';
import { offeredTools as tools } from '../../src/service/offers/offers.ts';

/** A JSON Schema of the document, as far as ours go. */
export interface DocumentSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | DocumentSchema;
  readonly items?: DocumentSchema;
  readonly anyOf?: readonly DocumentSchema[];
  readonly oneOf?: readonly DocumentSchema[];
  readonly example?: unknown;
}

export interface DocumentOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: DocumentSchema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<
      Record<string, { readonly schema: DocumentSchema; readonly example?: unknown; readonly examples?: object }>
    >;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: DocumentSchema; readonly example?: unknown }>>;
      }
    >
  >;
}

export interface OpenapiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentSchema>> };
}

export async function openapiDocument(): Promise<OpenapiDocument> {
  const config = loadConfig({});
  // All that routes ask of it before the first request.
  const service = { payments: { checkoutOrigin: null } } as unknown as Service;
  const app = await createApp({
    config,
    log: pino({ level: 'silent' }),
    dialects: dialects({ service, config, tools }),
  });
  try {
    const answer = await app.inject('/api/openapi.json');
    return answer.json();
  } finally {
    await app.close();
  }
}

/** An operation with its place. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentOperation;
}

/** All operations, in the document's order. */
export const operationsOf = ({ paths }: OpenapiDocument): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      // A path may carry marks of its own.
      typeof operation === 'object' ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  );
