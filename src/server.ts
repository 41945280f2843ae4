// What a service needs beside the library: the tools' declarations, to derive its interface from, and option parsing.
export { createEngine } from './runtime/engine.ts';
export { findTool, requireTool, tools } from './tools/registry.ts';
export type { AnyTool, FreeAllowance, InputRole, Plan } from './tools/define.ts';
export { errorCatalogue, EarshotError, type ErrorCode, type ErrorJson } from './core/errors.ts';
