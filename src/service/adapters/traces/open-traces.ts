import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import { packageVersion } from '../../../library/core/start/package-version.ts';
import { JobTraces, type SpanIds } from './job-traces.ts';

export interface Traces {
  readonly jobs: JobTraces;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}

/** Traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names; its other variables are the SDK's. */
export function openTraces(part: 'api' | 'worker'): Traces {
  const ids: SpanIds = { traceId: null, spanId: null };
  const random = new RandomIdGenerator();
  const take = (name: keyof SpanIds, otherwise: () => string): string => {
    const given = ids[name];
    ids[name] = null;
    return given ?? otherwise();
  };
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'earshot',
      'service.version': packageVersion(),
      'earshot.part': part,
    }),
    idGenerator: {
      generateTraceId: () => take('traceId', () => random.generateTraceId()),
      generateSpanId: () => take('spanId', () => random.generateSpanId()),
    },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  return {
    jobs: new JobTraces(provider.getTracer('earshot'), ids),
    close: () => provider.shutdown().catch(() => undefined),
  };
}
