// Meetings and conversations whose speakers are known, for the measures of speakers and of the labels of words.
import { type Case, conversations, meetings } from '../../speech/conversation-cases.ts';
import { folderFor, samples, stored } from '../store.ts';

/** Of sets 1 (calm) and 3 (lively): two to five people, with noise, interruptions, other levels, a telephone. */
const chosen = [1, 4, 6];

export const conversationCases = (): Promise<Case[]> =>
  stored('conversations', () => {
    const folder = folderFor('conversations');
    return [
      ...meetings(samples, folder),
      ...[1, 3].flatMap((set) => conversations(samples, folder, set).filter((_, index) => chosen.includes(index))),
    ];
  });
