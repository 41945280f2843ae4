/**
 * What a host needs beside the library: the service itself, its parts for a wiring of one's own, and the tools'
 * declarations, to derive an interface from. `serve(loadConfig(), signal, print)` is `earshot serve`; `createServer`
 * makes a Fastify plugin of it.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a Node that is too old
import './library/core/start/oldest-node.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a system that nothing of ours runs on
import './library/core/start/needs-glibc.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws in a bundle
import './library/core/start/whole-installation.ts';
export { createEngine } from './library/runtime/engine/engine.ts';
export { findTool, requireTool } from './library/tools/registry.ts';
export { offeredTools as tools, type OfferedTool } from './service/offers/offers.ts';
export type { AnyTool } from './library/tools/declare/define.ts';
export type { Plan, ToolFacts } from './library/contract/tool-facts.ts';
export type { Billing, FreeAllowance, Offer, OfferedFacts } from './service/rules/tools/offer.ts';
export type { InputFacts, InputFile, InputRole } from './library/contract/tool-inputs.ts';
export { restBodySchema, splitJobBody } from './service/http/interface/rest-body.ts';
export { errorCatalogue, EarshotError, type ErrorCode, type ErrorJson } from './library/core/errors/errors.ts';
export { loadConfig, settings, type Config, type Setting } from './service/rules/settings/config.ts';
export type { Service } from './service/rules/service.ts';
export type * from './service/rules/accounts/account-store.ts';
export type { FreeSubject, FreeUses, Funds, Terms } from './service/rules/accounts/free.ts';
export type * from './service/rules/accounts/sign-in-store.ts';
export type * from './service/rules/files/file-store.ts';
export type * from './service/rules/files/links.ts';
export type * from './service/rules/files/object-store.ts';
export type * from './service/rules/fleet/fleet.ts';
export type * from './service/rules/free-runs/free-run-store.ts';
export type { Settings } from './service/rules/free-runs/visitors.ts';
export type * from './service/rules/jobs/job-store.ts';
export type * from './service/rules/jobs/pending-order.ts';
export type * from './service/rules/legacy-jobs/legacy-job-store.ts';
export type { Ledger } from './service/rules/money/ledger.ts';
export type * from './service/rules/money/payment-store.ts';
export type * from './service/rules/shared/idempotency.ts';
export type * from './service/rules/shared/page.ts';
export type * from './service/rules/shared/queue-handler.ts';
export type { Changes } from './service/rules/shared/wait-for.ts';
export type * from './service/rules/worker/work-queue.ts';
export type * from './library/contract/media-work.ts';
export { dialects, v1Dialect } from './service/http/dialects.ts';
export { createApp, type AppDeps } from './service/http/server/app.ts';
export type { Dialect, Dialects } from './service/http/server/dialect.ts';
export { launch as serve } from './service/serve/launch.ts';
export { createServer, type EmbeddedServer, type EmbeddedServerOptions } from './service/serve/create-server.ts';
export { createService, type ServiceDeps } from './service/serve/create-service.ts';
export { openBackend, prepareDatabase, type Backend } from './service/serve/backend.ts';
export { createObjects } from './service/serve/objects.ts';
export { startApi, type RunningApi } from './service/serve/api.ts';
export { startWorker } from './service/serve/worker.ts';
export type { RunningPart } from './service/serve/running-part.ts';
