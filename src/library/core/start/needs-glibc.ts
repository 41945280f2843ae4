// Imported by the library's entries after oldest-node.ts. Otherwise packages without a build for this system would be
// reported missing one by one, with advice that cannot help. The command line checks the same (cli/start.ts).
import { unfitCLibrary } from '../machine/c-library.ts';

const why = unfitCLibrary();
if (why !== null) throw new Error(why);
