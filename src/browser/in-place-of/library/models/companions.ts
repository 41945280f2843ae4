// In place of models/companions.ts: eSpeak NG, which lies beside the models.
import { importEspeak } from '../../../models/placed.ts';

export const importCompanion = (): Promise<unknown> => importEspeak();
