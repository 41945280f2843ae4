// Made by scripts/write-option-types.ts from the declarations of the tools: edit those, then `npm run types:write`.

/**
 * Options of analyze_audio (Media info). Measures a recording: format, loudness (EBU R 128), true peak, noise
 * floor, silent stretches and the ACX audiobook checks.
 */
export interface AnalyzeAudioOptions {
  /** concise lists up to 50 silent stretches, full lists all. Default: "concise". */
  readonly detail?: 'concise' | 'full' | undefined;
}

/**
 * Options of adjust_loudness (Set loudness). Brings a recording to the loudness of a target with one gain and
 * limited true peaks, or makes it pass the ACX audiobook checks.
 */
export interface AdjustLoudnessOptions {
  /**
   * podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs). Default:
   * "podcast".
   */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'audiobook' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. Number between -30 and -5, LUFS. Default: none. */
  readonly custom_lufs?: number | undefined;
  /** This gain and no limiter, instead of a target. Number between -60 and 60, dB. Default: none. */
  readonly gain_db?: number | undefined;
  /** From silence to full level at the beginning. Number between 0 and 600, s. Default: none. */
  readonly fade_in_seconds?: number | undefined;
  /** From full level to silence at the end. Number between 0 and 600, s. Default: none. */
  readonly fade_out_seconds?: number | undefined;
  /**
   * Of both fades; default smooth. linear in amplitude, sine of equal power, smooth at both ends, exponential
   * straight in decibels.
   */
  readonly fade_curve?: 'linear' | 'sine' | 'smooth' | 'exponential' | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
}

/**
 * Options of convert_audio (Convert). Converts the sound of an audio or video file to MP3, WAV, M4A, FLAC, OGG or
 * Opus.
 */
export interface ConvertAudioOptions {
  /** Format of the output. Default: "mp3". */
  readonly format?: 'mp3' | 'wav' | 'm4a' | 'flac' | 'ogg' | 'opus' | undefined;
  /** For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format. Integer between 16 and 320, kbit/s. */
  readonly bitrate_kbps?: number | undefined;
  /** In Hz; default the input's. */
  readonly sample_rate?: 8000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000 | undefined;
  /** Default the input's. */
  readonly channels?: 'mono' | 'stereo' | undefined;
  /** Lower the level where peaks lie above full scale, so that none is clipped. Default: false. */
  readonly fit_peaks?: boolean | undefined;
  /** Turn a channel over that is the opposite of another, so that they do not cancel in mono. Default: false. */
  readonly fix_phase?: boolean | undefined;
}

/**
 * Options of cut_audio (Cut). Removes stretches of a recording, or keeps only them, exact to the sample. A video is
 * cut with its picture.
 */
export interface CutAudioOptions {
  /**
   * Stretches as [start, end] in seconds, in any order. List of 1 to 10000 items, each [number between 0 and 36000,
   * number between 0 and 36000]. Default: none.
   */
  readonly ranges?: readonly (readonly [number, number])[] | undefined;
  /** remove the ranges, keep only them, or mute them. Default: "remove". */
  readonly mode?: 'remove' | 'keep' | 'mute' | undefined;
  /** joined into one file, or separate: one file per range that stays. Default: "joined". */
  readonly output?: 'joined' | 'separate' | undefined;
  /**
   * Order of kept ranges: that of the recording, or as given, where a range may come twice. Default: "recorded".
   */
  readonly order?: 'recorded' | 'given' | undefined;
  /** Crossfade at each seam of a joined output, in ms. Integer between 0 and 200, ms. Default: 20. */
  readonly crossfade_ms?: number | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
   * edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
}

/**
 * Options of remove_silence (Remove silence). Shortens the pauses of a recording without touching a word, and keeps
 * the room tone between. A video is cut with its picture.
 */
export interface RemoveSilenceOptions {
  /** Pauses at least this long are shortened. Number between 0.3 and 5, s. Default: 0.7. */
  readonly min_pause_seconds?: number | undefined;
  /** How much of each pause stays. Number between 0 and 1, s. Default: 0.25. */
  readonly keep_seconds?: number | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
   * edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
}

/**
 * Options of join_audio (Join). Joins 2 to 20 recordings in order, whatever their formats, rates and channels.
 * Videos are joined as a video when all files are videos and the output format is same.
 */
export interface JoinAudioOptions {
  /** How long each file overlaps the next, in ms. Integer between 0 and 5000, ms. Default: 0. */
  readonly crossfade_ms?: number | undefined;
  /** Bring the files to the same integrated loudness first. Default: true. */
  readonly match_loudness?: boolean | undefined;
  /** Where no file has chapters, make each a chapter with its title, or its name. Default: true. */
  readonly title_chapters?: boolean | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
   * edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
  /** same is the format of the first file. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
}

/**
 * Options of replace_audio (Swap the soundtrack). Replaces a video's sound. The picture, subtitles, chapters and
 * metadata are copied untouched.
 */
export interface ReplaceAudioOptions {
  /**
   * Moves the sound against the picture: positive later, negative earlier. Number between -36000 and 36000, s.
   * Default: 0.
   */
  readonly offset_seconds?: number | undefined;
}

/**
 * Options of level_speakers (Level speakers). Makes all speakers of a conversation equally loud, in one recording
 * or on tracks of one speaker each, and brings the result to a loudness target.
 */
export interface LevelSpeakersOptions {
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast". */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. Number between -30 and -5, LUFS. Default: none. */
  readonly custom_lufs?: number | undefined;
  /** same keeps each input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
}

/**
 * Options of mix_tracks (Mix tracks). Mixes voices, music and effects into one file at a loudness target, with
 * music lowered under voice when wanted.
 */
export interface MixTracksOptions {
  /**
   * Settings of each track, in the order of the files. Default: every track a voice at 0 dB. List of 2 to 20 items.
   */
  readonly tracks?:
    | readonly {
        /** What the track is; music falls under voice when duck is true. Default: "voice". */
        readonly role?: 'voice' | 'music' | 'effects' | undefined;
        /**
         * Gain of the track, dB, before the mix's own. Voices have one loudness at first: here is how far one lies
         * above or under the others. Number between -60 and 20, dB. Default: 0.
         */
        readonly volume_db?: number | undefined;
      }[]
    | undefined;
  /**
   * Lowers music while someone speaks on a voice track: by 12 dB, or more where less than 10 LU would lie between
   * them. Default: false.
   */
  readonly duck?: boolean | undefined;
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast". */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. Number between -30 and -5, LUFS. Default: none. */
  readonly custom_lufs?: number | undefined;
  /** same keeps the first track's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
}

/**
 * Options of remove_noise (Remove noise). Takes background noise and rumble away from speech and keeps the voice,
 * its place in the stereo image and its timing.
 */
export interface RemoveNoiseOptions {
  /**
   * Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90 leaves a
   * tenth (-20 dB). Integer between 10 and 100. Default: 100.
   */
  readonly noise_reduction?: number | undefined;
  /** Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP. Default: true. */
  readonly auto_volume?: boolean | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /**
   * voice keeps voices, and music without one; steady takes away only what is always there, such as hiss and fans,
   * and keeps birds, a crowd, footsteps; not for music. Default: "voice".
   */
  readonly method?: 'voice' | 'steady' | undefined;
  /** Level of voices, dB from where they were. Number between -24 and 12, dB. Default: 0. */
  readonly voice_db?: number | undefined;
  /**
   * Level of noise, ambience and reverberation, dB from where it was; 0 takes nothing away. Default: as
   * noise_reduction says. Number between -60 and 0, dB.
   */
  readonly room_db?: number | undefined;
  /**
   * Level of music in passages without a voice, dB from where it was. Number between -60 and 12, dB. Default: 0.
   */
  readonly music_db?: number | undefined;
}

/**
 * Options of enhance_voice (Enhance voice). Makes a voice from a poor recording sound closer and clearer: takes
 * noise and reverberation away, restores missing highs, and evens out tone, hisses and level. Recordings at 8 or 16
 * kHz whose highs were restored come out at 48 kHz.
 */
export interface EnhanceVoiceOptions {
  /**
   * Share of the regenerated voice in percent; lower mixes back the original sound. Integer between 10 and 100.
   * Default: 100.
   */
  readonly noise_reduction?: number | undefined;
  /**
   * Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced. Default:
   * true.
   */
  readonly auto_volume?: boolean | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
}

/**
 * Options of transcribe_audio (Transcribe). Writes down what is said, with the time of every word and who said it:
 * as JSON, as SubRip and WebVTT subtitles, and as plain text.
 */
export interface TranscribeAudioOptions {
  /** Code of the language that is spoken; default detected. String matching ^[a-z]{2,3}$. */
  readonly language?: string | undefined;
  /** Keep fillers such as um and uh. Default: true. */
  readonly verbatim?: boolean | undefined;
  /** Number the speakers in the order of their first words, up to 8 people, no names. Default: true. */
  readonly speaker_labels?: boolean | undefined;
  /** Write in English what is said in another language. Default: false. */
  readonly translate?: boolean | undefined;
  /**
   * Names and terms that may be said, as written, up to 8 words each. List of 1 to 500 items, each string of 2 to
   * 80 characters. Default: none.
   */
  readonly vocabulary?: readonly string[] | undefined;
  /** How many people speak, where that is known. Integer between 1 and 8. Default: none. */
  readonly speakers?: number | undefined;
  /** How many people speak at least. Integer between 1 and 8. Default: none. */
  readonly min_speakers?: number | undefined;
  /** How many people speak at most. Integer between 1 and 8. Default: none. */
  readonly max_speakers?: number | undefined;
  /** Each speaker has a channel: two microphones, or the ends of a call. Default: false. */
  readonly speaker_channels?: boolean | undefined;
  /**
   * Names of known voices, which then stand in place of numbers; or all. List of 1 to 200 items, each string of 1
   * to 80 characters. Default: none.
   */
  readonly voices?: readonly string[] | undefined;
  /**
   * Further files: ass (styled captions), ttml (EBU-TT-D), docx, rttm (who speaks when). List of 1 to 4 items, each
   * one of ass, ttml, docx, rttm. Default: none.
   */
  readonly captions?: readonly ('ass' | 'ttml' | 'docx' | 'rttm')[] | undefined;
  /** Whom captions are for, by length of lines and speed; shorts: a few words at a time. Default: "standard". */
  readonly caption_profile?: 'standard' | 'broadcast' | 'youtube' | 'shorts' | undefined;
  /** The time of each word in VTT and ASS. Default: false. */
  readonly karaoke?: boolean | undefined;
  /** Also tell music, applause, sirens, ringing, thunder and animals. Default: false. */
  readonly sound_events?: boolean | undefined;
}

/** Options of align_script (Align a script). Finds when each word of a script is spoken in a recording. */
export interface AlignScriptOptions {
  /**
   * The script: plain text, SRT or VTT. Either this or script_file_id. String of 1 to 2097152 characters. Default:
   * none.
   */
  readonly text?: string | undefined;
}

/**
 * Options of remove_fillers (Remove fillers). Cuts um, uh and repeated words out of a recording, and leaves every
 * other word, breaths and room tone as they were. A video is cut with its picture. The transcript of the result
 * comes along.
 */
export interface RemoveFillersOptions {
  /** List the cuts with their ids and make no audio. Default: false. */
  readonly dry_run?: boolean | undefined;
  /**
   * Ids of cuts from a dry run of the same transcript; needs transcript_file_id. Default: all. List of 1 to 5000
   * items, each string matching ^c[0-9]{1,5}$.
   */
  readonly cut_ids?: readonly string[] | undefined;
  /** Fillers and repeats; lower is by 15 dB. Default: "cut". */
  readonly fillers?: 'cut' | 'mute' | 'lower' | undefined;
  /** Also up to 3 words that are said twice in a row, keeping the second. Default: true. */
  readonly repeats?: boolean | undefined;
  /** Breaths between words. Default: "keep". */
  readonly breaths?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /** Clicks of lips and tongue in pauses. Default: "keep". */
  readonly mouth_clicks?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /** Coughs between words. Default: "keep". */
  readonly coughs?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /** A word's first sound said again before it (h-h-here), and words that break off (wh- what). Default: "keep". */
  readonly stutters?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches meet,
   * edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
  /**
   * Code of the language whose fillers are looked for: en, de, fr, es, it, nl, pt, pl, ja, ko; default detected.
   * String matching ^[a-z]{2,3}$.
   */
  readonly language?: string | undefined;
}

/**
 * Options of check_audio (Check for delivery). Holds a recording, and its captions, against the rules of a policy:
 * each measure with its limit, whether it passes, and which tool mends it.
 */
export interface CheckAudioOptions {
  /** What the recording has to meet; custom: rules. Default: "podcast". */
  readonly policy?: 'podcast' | 'acx' | 'ebu-r128' | 'netflix-dialogue' | 'custom' | undefined;
  /** With policy custom. List of 1 to 60 items. Default: none. */
  readonly rules?:
    | readonly {
        /** What is measured. */
        readonly measure:
          | 'integratedLufs'
          | 'dialogueLufs'
          | 'dialoguePercent'
          | 'loudnessRangeLu'
          | 'maxMomentaryLufs'
          | 'maxShortTermLufs'
          | 'truePeakDbtp'
          | 'samplePeakDbfs'
          | 'rmsDbfs'
          | 'noiseFloorDbfs'
          | 'clippedSamples'
          | 'stereoCorrelation'
          | 'durationSeconds'
          | 'leadingSilenceSeconds'
          | 'trailingSilenceSeconds'
          | 'longestSilenceSeconds'
          | 'sampleRate'
          | 'channels'
          | 'bitsPerSample'
          | 'bitRateBps'
          | 'format'
          | 'codec'
          | 'tags'
          | 'captionLines'
          | 'captionLineCells'
          | 'captionCellsPerSecond'
          | 'captionShortestSeconds'
          | 'captionLongestSeconds'
          | 'captionGapSeconds'
          | 'captionOverlaps'
          | 'captionsAfterEndSeconds';
        /** The least value: LUFS, dB, s, Hz, as the measure has it. Number. Default: none. */
        readonly min?: number | undefined;
        /** The greatest value: LUFS, dB, s, Hz, as the measure has it. Number. Default: none. */
        readonly max?: number | undefined;
        /** One of. List of 1 to 40 items, each string of at most 40 characters. Default: none. */
        readonly one_of?: readonly string[] | undefined;
        /** All of. List of 1 to 40 items, each string of at most 40 characters. Default: none. */
        readonly has?: readonly string[] | undefined;
      }[]
    | undefined;
}

/**
 * Options of align_recordings (Sync recordings). Finds where recordings of one event lie to each other by their
 * sound, how far their clocks drift apart, and writes them so that they begin together.
 */
export interface AlignRecordingsOptions {
  /** Only say how the recordings lie, and write no files. Default: false. */
  readonly find_only?: boolean | undefined;
  /**
   * Whose clock counts: how many files down the list, 1 for the first. Default: the longest. Integer between 1 and
   * 10.
   */
  readonly reference?: number | undefined;
  /**
   * pad: from the first start to the last end, with silence; trim: only what all have; reference: as long as the
   * reference. Default: "pad".
   */
  readonly ends?: 'pad' | 'trim' | 'reference' | undefined;
  /** Bring all clocks to that of the reference; false moves recordings only, by whole samples. Default: true. */
  readonly correct_drift?: boolean | undefined;
  /** Format of the outputs; both are lossless. Default: "wav". */
  readonly output_format?: 'wav' | 'flac' | undefined;
}

/**
 * Options of burn_captions (Burn in captions). Draws captions into the picture of a video, for places that show no
 * subtitles.
 */
export interface BurnCaptionsOptions {
  /**
   * Looks, and of a transcript lengths of lines and speed; shorts: a few large words at a time. Default:
   * "standard".
   */
  readonly caption_profile?: 'standard' | 'broadcast' | 'youtube' | 'shorts' | undefined;
  /** Words light up while they are said; needs a transcript. Default: false. */
  readonly karaoke?: boolean | undefined;
  /** Name of a font; default: Arial, or what is there. String of 1 to 80 characters. */
  readonly font?: string | undefined;
}

/**
 * Options of redact_audio (Redact). Takes words, numbers, speakers or ranges out of the sound, the transcript,
 * captions, tags and chapters. Then the result is transcribed again, and a report says whether any is left.
 */
export interface RedactAudioOptions {
  /**
   * Words and phrases, in any case, with or without accents and hyphens; what sounds the same counts. List of 1 to
   * 500 items, each string of 1 to 100 characters. Default: none.
   */
  readonly words?: readonly string[] | undefined;
  /**
   * words: alone; forms: also plurals and cases; parts: also within longer words, as in compounds. Default:
   * "words".
   */
  readonly match?: 'words' | 'forms' | 'parts' | undefined;
  /**
   * Numbers and addresses by their form, written or spoken; number: four digits and more. List of 1 to 7 items,
   * each one of card, iban, phone, email, web, address, number. Default: none.
   */
  readonly patterns?: readonly ('card' | 'iban' | 'phone' | 'email' | 'web' | 'address' | 'number')[] | undefined;
  /**
   * Everything that these speakers say, by their numbers in the transcript. List of 1 to 20 items, each integer
   * between 1 and 1000. Default: none.
   */
  readonly speaker_numbers?: readonly number[] | undefined;
  /**
   * Stretches as [start, end] in seconds, in any order. List of 1 to 10000 items, each [number between 0 and 36000,
   * number between 0 and 36000]. Default: none.
   */
  readonly ranges?: readonly (readonly [number, number])[] | undefined;
  /** What is heard instead: nothing, a tone of 1 kHz, or noise of the room's colour. Default: "mute". */
  readonly mode?: 'mute' | 'bleep' | 'noise' | undefined;
  /** How far before and behind a word its sound is taken, in ms. Integer between 0 and 500, ms. Default: 20. */
  readonly guard_ms?: number | undefined;
  /** List what would be taken out, as a plan, and make no audio. Default: false. */
  readonly find_only?: boolean | undefined;
  /** Code of the language that is spoken; default detected. String matching ^[a-z]{2,3}$. */
  readonly language?: string | undefined;
}

/**
 * Options of change_speed (Change speed). Makes a recording faster or slower and keeps the pitch of voices and
 * music.
 */
export interface ChangeSpeedOptions {
  /**
   * How many times as fast: 1.25 takes a fifth off the length, 0.5 doubles it. Number between 0.25 and 4. Default:
   * 1.25.
   */
  readonly speed?: number | undefined;
  /** same keeps the input's format; of a video its sound, as m4a. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
}

/**
 * Options of label_audio (Label). Writes tags, a cover and chapters into a recording. Sound and moving picture are
 * copied as they are.
 */
export interface LabelAudioOptions {
  /** Of the recording; an empty text takes a tag away. String of at most 200 characters. Default: none. */
  readonly title?: string | undefined;
  /** Who is heard. String of at most 200 characters. Default: none. */
  readonly artist?: string | undefined;
  /** The show, or the album. String of at most 200 characters. Default: none. */
  readonly album?: string | undefined;
  /** The year, or a date as 2026-11-30. String of at most 200 characters. Default: none. */
  readonly date?: string | undefined;
  /** Such as Podcast. String of at most 200 characters. Default: none. */
  readonly genre?: string | undefined;
  /** A few words about it. String of at most 2000 characters. Default: none. */
  readonly comment?: string | undefined;
  /** In place of its own; an empty list takes them away. List. Default: none. */
  readonly chapters?:
    | readonly {
        /** Where it begins. Number between 0 and 36000, s. */
        readonly start_seconds: number;
        /** What it is called. String of at most 400 characters. */
        readonly title: string;
      }[]
    | undefined;
}

/** What may be passed as a tool's options, by its public id. */
export interface ToolOptionsById {
  readonly analyze_audio: AnalyzeAudioOptions;
  readonly adjust_loudness: AdjustLoudnessOptions;
  readonly convert_audio: ConvertAudioOptions;
  readonly cut_audio: CutAudioOptions;
  readonly remove_silence: RemoveSilenceOptions;
  readonly join_audio: JoinAudioOptions;
  readonly replace_audio: ReplaceAudioOptions;
  readonly level_speakers: LevelSpeakersOptions;
  readonly mix_tracks: MixTracksOptions;
  readonly remove_noise: RemoveNoiseOptions;
  readonly enhance_voice: EnhanceVoiceOptions;
  readonly transcribe_audio: TranscribeAudioOptions;
  readonly align_script: AlignScriptOptions;
  readonly remove_fillers: RemoveFillersOptions;
  readonly check_audio: CheckAudioOptions;
  readonly align_recordings: AlignRecordingsOptions;
  readonly burn_captions: BurnCaptionsOptions;
  readonly redact_audio: RedactAudioOptions;
  readonly change_speed: ChangeSpeedOptions;
  readonly label_audio: LabelAudioOptions;
}

/** Options without which a run needs one of these inputs instead, by the public id of the tool. */
export interface OptionUnlessInput {
  readonly cut_audio: { readonly ranges: 'by_text_file_id' | 'by_text' };
  readonly align_script: { readonly text: 'script_file_id' | 'script' };
}

/** The options of a tool of which no input takes the place of one. */
export type OptionsWithAll<Id extends keyof OptionUnlessInput> = ToolOptionsById[Id] & {
  readonly [Option in keyof OptionUnlessInput[Id] & keyof ToolOptionsById[Id]]: NonNullable<
    ToolOptionsById[Id][Option]
  >;
};

/** A word of a transcript, times in seconds; see docs/transcript-format.md. */
export interface LiveWord {
  /** As written, with its punctuation. */
  readonly text: string;
  /** Start of the word. */
  readonly startSeconds: number;
  /** End of the word, not before its start. */
  readonly endSeconds: number;
  /** Number of the speaker, from 1, in the order people first speak. */
  readonly speaker?: number;
  /** In an aligned script; false: the word was not found in the recording. */
  readonly matched?: boolean;
  /** The recogniser's confidence in the word, from 0 to 1. */
  readonly confidence?: number;
}

/** A sentence of one speaker with its words; see docs/transcript-format.md. */
export interface LiveSentence {
  /** Start of the sentence; sentences are in this order. */
  readonly startSeconds: number;
  /** End of the sentence, not before its start. */
  readonly endSeconds: number;
  /** The words of the sentence, as written. */
  readonly text: string;
  /** Number of the speaker, from 1; null without speaker labels. */
  readonly speaker: number | null;
  /** ISO 639 code, where it is not the transcript's. */
  readonly language?: string;
  readonly words: readonly LiveWord[];
}
