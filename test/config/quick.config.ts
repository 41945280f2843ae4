// `npm test`: all but what is tagged `slow`.
import { built } from './built.ts';

export default built('quick');
