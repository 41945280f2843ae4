// `npm run test:slow`: what is slow by nature, and the cases of long tables that `npm test` leaves out.
import { built } from './built.ts';

export default built('slow');
