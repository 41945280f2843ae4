// `npm run test:slower`: what no change waits for, and the cases of long tables that the other runs leave out.
import { built } from './built.ts';

export default built('slower');
