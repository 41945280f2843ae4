// `npm run test:slow`: what is slow by nature.
import { built } from './built.ts';

export default built('slow');
