/**
 * What a host needs beside the library: the service itself, its parts for a wiring of one's own, and the tools'
 * declarations, to derive an interface from. `serve(loadConfig(), signal, print)` is `earshot serve`; `createServer`
 * makes a Fastify plugin of it.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a Node that is too old
import './core/oldest-node.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws on a system that nothing of ours runs on
import './core/needs-glibc.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it throws in a bundle
import './core/whole-installation.ts';
export { createEngine } from './runtime/engine.ts';
export { findTool, requireTool, tools } from './tools/registry.ts';
export type { AnyTool } from './tools/declare/define.ts';
export type { FreeAllowance, Plan, ToolFacts } from './contract/tool-facts.ts';
export type { InputFacts, InputRole } from './contract/tool-inputs.ts';
export { restBodySchema, splitJobBody } from './tools/rest-body.ts';
export { errorCatalogue, EarshotError, type ErrorCode, type ErrorJson } from './core/errors.ts';
export { loadConfig, settings, type Config, type Setting } from './service/config.ts';
export type { Service } from './service/service.ts';
export type * from './service/ports.ts';
export type * from './contract/media-work.ts';
export { dialects } from './http/dialects.ts';
export { createApp, type AppParts } from './http/server/app.ts';
export type { Dialect, Dialects } from './http/server/dialect.ts';
export { v1Dialect } from './http/v1/dialect.ts';
export { launch as serve } from './serve/launch.ts';
export { createServer, type EmbeddedServer, type EmbeddedServerOptions } from './serve/create-server.ts';
export { createService, type ServiceParts } from './serve/create-service.ts';
export { openBackend, prepareDatabase, type Backend } from './serve/backend.ts';
export { createObjects } from './serve/objects.ts';
export { startApi, type RunningApi } from './serve/api.ts';
export { startWorker } from './serve/worker.ts';
export type { RunningPart } from './serve/running-part.ts';
