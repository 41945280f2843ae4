import type { Traces } from '../adapters/traces/open-traces.ts';
import { optionalPackage } from '../../library/core/start/optional-package.ts';

const packages =
  '@opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-http';

/**
 * Traces of jobs if OTEL_EXPORTER_OTLP_ENDPOINT is set; otherwise null, and no package is loaded.
 * @throws EarshotError tool_unavailable when the packages are not installed
 */
export async function tracesHere(part: 'api' | 'worker'): Promise<Traces | null> {
  if (!process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return null;
  const { openTraces } = await optionalPackage(
    packages,
    'Traces need',
    () => import('../adapters/traces/open-traces.ts'),
  );
  return openTraces(part);
}
