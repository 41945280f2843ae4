// The usual jobs as prompts of the Model Context Protocol: what a person chooses from a menu, in words for the model.

export interface AssistantPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** By name: what a person is asked for. */
  readonly fields: Readonly<Record<string, { readonly description: string; readonly required: boolean }>>;
  /** @param given what the person has filled in */
  text(given: Readonly<Record<string, string>>): string;
}

/** Of a prompt's fields. */
export const promptSchema = ({ fields }: AssistantPrompt) => ({
  type: 'object' as const,
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { description }]) => [name, { type: 'string' as const, description }]),
  ),
  required: Object.entries(fields).flatMap(([name, { required }]) => (required ? [name] : [])),
});

const files = (description: string) => ({ description, required: true });
const optional = (description: string) => ({ description, required: false });

/** What follows where a person has said something. */
const said = (before: string, value = ''): string => (value.trim() === '' ? '' : ` ${before}${value.trim()}.`);

/**
 * @param local true: files are paths; false: files of an account, which a link or an upload brings
 */
export const assistantPrompts = (local: boolean): readonly AssistantPrompt[] => {
  const find = local
    ? 'Find them with list_files.'
    : 'Bring in what is not among list_files yet by import_file or create_upload.';
  const read = local ? 'read_transcript' : 'get_transcript';
  return [
    {
      name: 'episode',
      title: 'Make an episode',
      description: 'A finished podcast episode of its recordings, with a transcript and chapters',
      fields: {
        recordings: files('The recordings: one, or a track for each speaker'),
        title: optional('Title of the episode'),
        wishes: optional('Anything else: music, loudness, cover, the show'),
      },
      text: ({ recordings, title, wishes }) =>
        `Make an episode of ${recordings}. ${find}${said('Its title is ', title)}${said('Also: ', wishes)} Run make_episode. ` +
        'Then read its transcript, propose five to ten chapters with short titles at the times of the sentences where ' +
        `subjects begin, and write them into the episode with ${local ? 'label_file and in_place' : 'a step label_audio of run_chain'}. Tell ` +
        'me its length, its loudness, what was changed, and every warning.',
    },
    {
      name: 'clean-up',
      title: 'Clean up a recording',
      description: 'Takes noise and unevenness out of a recording, measured before and after',
      fields: { recording: files('The recording'), wishes: optional('What bothers you about it') },
      text: ({ recording, wishes }) =>
        `Clean up ${recording}. ${find}${said('What bothers me: ', wishes)} First measure it with analyze_audio and say ` +
        'what is wrong with it. Choose as few tools as that needs: remove_noise for noise alone, enhance_voice for ' +
        'echo, hum or a narrow sound, level_speakers where people are unequally loud, and adjust_loudness last. Let me ' +
        'hear a passage of the loudest fault before and after, then run them, and compare the figures.',
    },
    {
      name: 'captions',
      title: 'Transcribe and caption',
      description: 'A transcript and captions of a recording or a film',
      fields: {
        recording: files('The recording or film'),
        names: optional('Names and terms that occur in it'),
        translate: optional('yes: English captions of another language'),
      },
      text: ({ recording, names, translate }) =>
        `Write a transcript and captions of ${recording}. ${find}${said('Names and terms, for vocabulary: ', names)}` +
        `${said('Translate into English: ', translate)} Read the transcript with ${read}, point out words that were ` +
        'probably misheard, and ask me who the speakers are.',
    },
    {
      name: 'shorten',
      title: 'Shorten a talk',
      description: 'Cuts fillers, repeats and long pauses, after you have seen them',
      fields: { recording: files('The recording'), seconds: optional('How long it may be') },
      text: ({ recording, seconds }) =>
        `Shorten ${recording}. ${find}${said('It may be this long: ', seconds)} List fillers and repeats by ` +
        'remove_fillers with dry_run, show me those whose removal may change the sense, and leave them in. Then cut the ' +
        'others, and shorten pauses with remove_silence. If it is still too long, propose passages of the transcript to ' +
        'cut with cut_audio, with their times and words, and wait for my answer.',
    },
    {
      name: 'check',
      title: 'Check before publishing',
      description: 'Is a recording ready for a platform, and what mends it?',
      fields: { recording: files('The recording'), platform: optional('Where it is to be published') },
      text: ({ recording, platform }) =>
        `Is ${recording} ready to be published? ${find}${said('It goes to: ', platform)} Measure loudness, true peak and ` +
        'noise with analyze_audio, and look at its length, tags and chapters. Say what does not meet the usual ' +
        'requirements, with the figures, and which tool mends it. Change nothing before I have agreed.',
    },
  ];
};
