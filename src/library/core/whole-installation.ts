// Imported by the library's entries, after needs-glibc.ts: else a bundle of it, or a copy with some of its files, would fail
// one by one, wherever a file is asked for.
import { existsSync } from 'node:fs';
import { ownAddress, unfitPlace } from './running-files.ts';

declare const __webpack_require__: unknown;

const why = unfitPlace(ownAddress, typeof __webpack_require__ === 'undefined' ? null : 'webpack', existsSync);
if (why !== null) throw new Error(why);
