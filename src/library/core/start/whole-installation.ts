// Imported by the library's entries after needs-glibc.ts. Otherwise a bundle or an incomplete copy would fail at the
// first missing file.
import { existsSync } from 'node:fs';
import { ownAddress, unfitPlace } from '../running-files.ts';

declare const __webpack_require__: unknown;

const why = unfitPlace(ownAddress, typeof __webpack_require__ === 'undefined' ? null : 'webpack', existsSync);
if (why !== null) throw new Error(why);
