/**
 * A client of the service's REST API on fetch alone, for Node and browsers: `earshot/client`. It runs alone and
 * loads nothing else of the library.
 */
export { createClient } from './client/client.ts';
export type { Client, ClientOptions } from './client/client.ts';
export type { ChainCalls, ChainWaitOptions } from './client/chains.ts';
export type { CallOptions, StartOptions, WaitOptions } from './client/jobs.ts';
export type { Download, DownloadOptions, DownloadProgress } from './client/download.ts';
export { ApiError, ChainError, ConnectionError, JobError } from './client/errors.ts';
export type { UploadSource } from './client/upload-source.ts';
export type { UploadOptions, UploadProgress } from './client/upload.ts';
export type * from './client/api-types.ts';
export type * from './client/chain-types.ts';
export type * from './client/tool-inputs.ts';
