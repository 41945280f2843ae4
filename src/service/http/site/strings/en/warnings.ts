import type { WarningCode } from '../../../../../library/core/errors/warnings.ts';

/**
 * What people read instead of a run's own warning, by its code: none in English, where its own says more. Also handed
 * to the scripts.
 */
export const warnings: Readonly<Partial<Record<WarningCode, string>>> = {};
