// Every test, on what is built: `npm run test:nodes`.
import { built } from './built.ts';

export default built('all');
