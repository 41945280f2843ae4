// Imported by the library's entries, after oldest-node.ts: else packages that this system has no build of would be missed
// one by one, with advice that cannot help. The command line says the same (cli/start.ts).
import { unfitCLibrary } from './c-library.ts';

const why = unfitCLibrary();
if (why !== null) throw new Error(why);
