// Made by scripts/write-client-types.ts from openapi.json: edit the schemas, then `npm run client:types`.

/** Inputs of what costs. */
export interface JobInputs {
  /** A job that would cost more does not start. At least 1. */
  readonly max_credits?: number | undefined;
  /**
   * true: only the free part, never paid. false: the whole file, paid, or nothing. Default: paid if the
   * balance covers it, else free.
   */
  readonly free?: boolean | undefined;
}

/** Inputs of what can be tried on a passage. */
export interface PassageInputs extends JobInputs {
  /**
   * Free, and only of 20 s from this second on: a file as they were and one as they become, equally loud. 0
   * to 36000.
   */
  readonly preview_from?: number | undefined;
}

/**
 * Inputs of analyze_audio. Measures a recording: format, loudness (EBU R 128), true peak, noise floor,
 * silent stretches and the ACX audiobook checks.
 */
export interface AnalyzeAudioInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** concise lists up to 50 silent stretches, full lists all. Default: "concise". */
  readonly detail?: 'concise' | 'full' | undefined;
}

/**
 * Inputs of adjust_loudness. Brings a recording to the loudness of a target with one gain and limited true
 * peaks, or makes it pass the ACX audiobook checks. custom_lufs is needed with target custom, and only
 * then.
 */
export interface AdjustLoudnessInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /**
   * podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs). Default:
   * "podcast".
   */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'audiobook' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. -30 to -5. */
  readonly custom_lufs?: number | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of convert_audio. Converts the sound of an audio or video file to MP3, WAV, M4A, FLAC, OGG or
 * Opus. bitrate_kbps only with format mp3, m4a, ogg, opus.
 */
export interface ConvertAudioInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Format of the output. Default: "mp3". */
  readonly format?: 'mp3' | 'wav' | 'm4a' | 'flac' | 'ogg' | 'opus' | undefined;
  /** For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format. 16 to 320. */
  readonly bitrate_kbps?: number | undefined;
  /** In Hz; default the input's. */
  readonly sample_rate?: 8000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000 | undefined;
  /** Default the input's. */
  readonly channels?: 'mono' | 'stereo' | undefined;
  /** Lower the level where peaks lie above full scale, so that none is clipped. Default: false. */
  readonly fit_peaks?: boolean | undefined;
  /** Turn a channel over that is the opposite of another, so that they do not cancel in mono. Default: false. */
  readonly fix_phase?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of cut_audio. Removes stretches of a recording, or keeps only them, exact to the sample. A video
 * is cut with its picture.
 */
export interface CutAudioInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Stretches as [start, end] in seconds, in any order. 1 to 100 items. */
  readonly ranges: readonly (readonly [number, number])[];
  /** remove the ranges, keep only them, or mute them. Default: "remove". */
  readonly mode?: 'remove' | 'keep' | 'mute' | undefined;
  /** joined into one file, or separate: one file per range that stays. Default: "joined". */
  readonly output?: 'joined' | 'separate' | undefined;
  /**
   * Order of kept ranges: that of the recording, or as given, where a range may come twice. Default:
   * "recorded".
   */
  readonly order?: 'recorded' | 'given' | undefined;
  /** Crossfade at each seam of a joined output, in ms. 0 to 200. Default: 20. */
  readonly crossfade_ms?: number | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches
   * meet, edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of remove_silence. Shortens the pauses of a recording without touching a word, and keeps the room
 * tone between. A video is cut with its picture.
 */
export interface RemoveSilenceInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Pauses at least this long are shortened. 0.3 to 5. Default: 0.7. */
  readonly min_pause_seconds?: number | undefined;
  /** How much of each pause stays. 0 to 1. Default: 0.25. */
  readonly keep_seconds?: number | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches
   * meet, edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of join_audio. Joins 2 to 20 recordings in order, whatever their formats, rates and channels.
 * Videos are joined as a video when all files are videos and the output format is same.
 */
export interface JoinAudioInputs extends JobInputs {
  /** Audio or video files, in order. 2 to 20 items. */
  readonly file_ids: readonly string[];
  /** How long each file overlaps the next, in ms. 0 to 5000. Default: 0. */
  readonly crossfade_ms?: number | undefined;
  /** Bring the files to the same integrated loudness first. Default: true. */
  readonly match_loudness?: boolean | undefined;
  /** Where no file has chapters, make each a chapter with its title, or its name. Default: true. */
  readonly title_chapters?: boolean | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches
   * meet, edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
  /** same is the format of the first file. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of replace_audio. Replaces a video's sound. The picture, subtitles, chapters and metadata are
 * copied untouched.
 */
export interface ReplaceAudioInputs extends JobInputs {
  /** Video with its picture. */
  readonly video_file_id: string;
  /** New sound, audio or video file. */
  readonly audio_file_id: string;
  /** Moves the sound against the picture: positive later, negative earlier. -36000 to 36000. Default: 0. */
  readonly offset_seconds?: number | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of level_speakers. Makes all speakers of a conversation equally loud, in one recording or on
 * tracks of one speaker each, and brings the result to a loudness target. Give exactly one of file_id and
 * track_file_ids. custom_lufs is needed with target custom, and only then.
 */
export interface LevelSpeakersInputs extends PassageInputs {
  /** One recording with everyone. */
  readonly file_id?: string | undefined;
  /** Tracks of one speaker each, all starting at the same time. 2 to 10 items. */
  readonly track_file_ids?: readonly string[] | undefined;
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast". */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. -30 to -5. */
  readonly custom_lufs?: number | undefined;
  /** same keeps each input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of mix_tracks. Mixes voices, music and effects into one file at a loudness target, with music
 * lowered under voice when wanted. custom_lufs is needed with target custom, and only then.
 */
export interface MixTracksInputs extends JobInputs {
  /** Tracks, all starting at the same time. 2 to 20 items. */
  readonly tracks: readonly {
    /** Identifier of the file. */
    readonly file_id: string;
    /** What the track is; music falls under voice when duck is true. Default: "voice". */
    readonly role?: 'voice' | 'music' | 'effects' | undefined;
    /**
     * Gain of the track, dB, before the mix's own. Voices have one loudness at first: here is how far one lies
     * above or under the others. -60 to 20. Default: 0.
     */
    readonly volume_db?: number | undefined;
  }[];
  /**
   * Lowers music while someone speaks on a voice track: by 12 dB, or more where less than 10 LU would lie
   * between them. Default: false.
   */
  readonly duck?: boolean | undefined;
  /** podcast -16 LUFS, streaming -14, broadcast -23, custom (custom_lufs). Default: "podcast". */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom' | undefined;
  /** Integrated loudness in LUFS; only with target custom. -30 to -5. */
  readonly custom_lufs?: number | undefined;
  /** same keeps the first track's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of remove_noise. Takes background noise and rumble away from speech and keeps the voice, its
 * place in the stereo image and its timing.
 */
export interface RemoveNoiseInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /**
   * Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90
   * leaves a tenth (-20 dB). 10 to 100. Default: 100.
   */
  readonly noise_reduction?: number | undefined;
  /** Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP. Default: true. */
  readonly auto_volume?: boolean | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /**
   * voice keeps voices, and music without one; steady takes away only what is always there, such as hiss and
   * fans, and keeps birds, a crowd, footsteps; not for music. Default: "voice".
   */
  readonly method?: 'voice' | 'steady' | undefined;
  /** Level of voices, dB from where they were. -24 to 12. Default: 0. */
  readonly voice_db?: number | undefined;
  /**
   * Level of noise, ambience and reverberation, dB from where it was; 0 takes nothing away. Default: as
   * noise_reduction says. -60 to 0.
   */
  readonly room_db?: number | undefined;
  /** Level of music in passages without a voice, dB from where it was. -60 to 12. Default: 0. */
  readonly music_db?: number | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of enhance_voice. Makes a voice from a poor recording sound closer and clearer: takes noise and
 * reverberation away, restores missing highs, and evens out tone, hisses and level. Recordings at 8 or 16
 * kHz whose highs were restored come out at 48 kHz.
 */
export interface EnhanceVoiceInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Share of the regenerated voice in percent; lower mixes back the original sound. 10 to 100. Default: 100. */
  readonly noise_reduction?: number | undefined;
  /**
   * Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced.
   * Default: true.
   */
  readonly auto_volume?: boolean | undefined;
  /** same keeps the input's format; a video stays a video. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of transcribe_audio. Writes down what is said, with the time of every word and who said it: as
 * JSON, as SubRip and WebVTT subtitles, and as plain text.
 */
export interface TranscribeAudioInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Code of the language that is spoken; default detected. */
  readonly language?: string | undefined;
  /** Keep fillers such as um and uh. Default: true. */
  readonly verbatim?: boolean | undefined;
  /** Number the speakers in the order of their first words, up to 8 people, no names. Default: true. */
  readonly speaker_labels?: boolean | undefined;
  /** Write in English what is said in another language. Default: false. */
  readonly translate?: boolean | undefined;
  /** Names and terms that may be said, as written, up to 8 words each. 1 to 500 items. */
  readonly vocabulary?: readonly string[] | undefined;
  /** How many people speak, where that is known. 1 to 8. */
  readonly speakers?: number | undefined;
  /** How many people speak at least. 1 to 8. */
  readonly min_speakers?: number | undefined;
  /** How many people speak at most. 1 to 8. */
  readonly max_speakers?: number | undefined;
  /** Each speaker has a channel: two microphones, or the ends of a call. Default: false. */
  readonly speaker_channels?: boolean | undefined;
  /** Names of known voices, which then stand in place of numbers; or all. 1 to 200 items. */
  readonly voices?: readonly string[] | undefined;
  /** Further files: ass (styled captions), ttml (EBU-TT-D), docx, rttm (who speaks when). 1 to 4 items. */
  readonly captions?: readonly ('ass' | 'ttml' | 'docx' | 'rttm')[] | undefined;
  /** Whom captions are for, by length of lines and speed; shorts: a few words at a time. Default: "standard". */
  readonly caption_profile?: 'standard' | 'broadcast' | 'youtube' | 'shorts' | undefined;
  /** The time of each word in VTT and ASS. Default: false. */
  readonly karaoke?: boolean | undefined;
  /** Also tell music, applause, sirens, ringing, thunder and animals. Default: false. */
  readonly sound_events?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of align_script. Finds when each word of a script is spoken in a recording. Give exactly one of
 * text and script_file_id.
 */
export interface AlignScriptInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** The script as a TXT, SRT or VTT file. Either this or text. */
  readonly script_file_id?: string | undefined;
  /** The script: plain text, SRT or VTT. Either this or script_file_id. 1 to 2097152 characters. */
  readonly text?: string | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of remove_fillers. Cuts um, uh and repeated words out of a recording, and leaves every other
 * word, breaths and room tone as they were. A video is cut with its picture. The transcript of the result
 * comes along. cut_ids needs transcript_file_id.
 */
export interface RemoveFillersInputs extends PassageInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** A verbatim transcript of this recording; without it the recording is transcribed. */
  readonly transcript_file_id?: string | undefined;
  /** List the cuts with their ids and make no audio. Default: false. */
  readonly dry_run?: boolean | undefined;
  /**
   * Ids of cuts from a dry run of the same transcript; needs transcript_file_id. Default: all. 1 to 5000
   * items.
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
  /**
   * A word's first sound said again before it (h-h-here), and words that break off (wh- what). Default:
   * "keep".
   */
  readonly stutters?: 'keep' | 'cut' | 'mute' | 'lower' | undefined;
  /**
   * Copy MP3, M4A, Opus, Ogg Vorbis and FLAC packet by packet instead of encoding it again; where stretches
   * meet, edges move to the nearest packet (of FLAC and ALAC they stay). Default: false.
   */
  readonly keep_encoding?: boolean | undefined;
  /**
   * Code of the language whose fillers are looked for: en, de, fr, es, it, nl, pt, pl, ja, ko; default
   * detected.
   */
  readonly language?: string | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of check_audio. Holds a recording, and its captions, against the rules of a policy: each measure
 * with its limit, whether it passes, and which tool mends it. rules is needed with policy custom, and only
 * then.
 */
export interface CheckAudioInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Its captions, SRT or VTT, which are held against the rules for captions. */
  readonly captions_file_id?: string | undefined;
  /** What the recording has to meet; custom: rules. Default: "podcast". */
  readonly policy?: 'podcast' | 'acx' | 'ebu-r128' | 'netflix-dialogue' | 'custom' | undefined;
  /** With policy custom. 1 to 60 items. */
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
        /** The least value: LUFS, dB, s, Hz, as the measure has it. */
        readonly min?: number | undefined;
        /** The greatest value: LUFS, dB, s, Hz, as the measure has it. */
        readonly max?: number | undefined;
        /** One of. 1 to 40 items. */
        readonly one_of?: readonly string[] | undefined;
        /** All of. 1 to 40 items. */
        readonly has?: readonly string[] | undefined;
      }[]
    | undefined;
}

/**
 * Inputs of align_recordings. Finds where recordings of one event lie to each other by their sound, how
 * far their clocks drift apart, and writes them so that they begin together.
 */
export interface AlignRecordingsInputs extends JobInputs {
  /** Recordings of one event, in any order. 2 to 10 items. */
  readonly file_ids: readonly string[];
  /** Only say how the recordings lie, and write no files. Default: false. */
  readonly find_only?: boolean | undefined;
  /** Whose clock counts: how many files down the list, 1 for the first. Default: the longest. 1 to 10. */
  readonly reference?: number | undefined;
  /**
   * pad: from the first start to the last end, with silence; trim: only what all have; reference: as long as
   * the reference. Default: "pad".
   */
  readonly ends?: 'pad' | 'trim' | 'reference' | undefined;
  /** Bring all clocks to that of the reference; false moves recordings only, by whole samples. Default: true. */
  readonly correct_drift?: boolean | undefined;
  /** Format of the outputs; both are lossless. Default: "wav". */
  readonly output_format?: 'wav' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/** Inputs of burn_captions. Draws captions into the picture of a video, for places that show no subtitles. */
export interface BurnCaptionsInputs extends JobInputs {
  /** Video with its picture. */
  readonly file_id: string;
  /** Captions: a transcript (JSON), SRT or VTT. */
  readonly captions_file_id: string;
  /**
   * Looks, and of a transcript lengths of lines and speed; shorts: a few large words at a time. Default:
   * "standard".
   */
  readonly caption_profile?: 'standard' | 'broadcast' | 'youtube' | 'shorts' | undefined;
  /** Words light up while they are said; needs a transcript. Default: false. */
  readonly karaoke?: boolean | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of redact_audio. Takes words, numbers, speakers or ranges out of the sound, the transcript,
 * captions, tags and chapters. Then the result is transcribed again, and a report says whether any is
 * left.
 */
export interface RedactAudioInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** A verbatim transcript of this recording; without it the recording is transcribed. */
  readonly transcript_file_id?: string | undefined;
  /** The result of a run with find_only, edited: its places are taken out, but those with "keep": true. */
  readonly plan_file_id?: string | undefined;
  /** Captions of this recording (SRT, VTT), which come back without what was taken out. */
  readonly captions_file_id?: string | undefined;
  /**
   * Words and phrases, in any case, with or without accents and hyphens; what sounds the same counts. 1 to
   * 500 items.
   */
  readonly words?: readonly string[] | undefined;
  /**
   * words: alone; forms: also plurals and cases; parts: also within longer words, as in compounds. Default:
   * "words".
   */
  readonly match?: 'words' | 'forms' | 'parts' | undefined;
  /** Numbers and addresses by their form, written or spoken; number: four digits and more. 1 to 7 items. */
  readonly patterns?: readonly ('card' | 'iban' | 'phone' | 'email' | 'web' | 'address' | 'number')[] | undefined;
  /** Everything that these speakers say, by their numbers in the transcript. 1 to 20 items. */
  readonly speaker_numbers?: readonly number[] | undefined;
  /** Stretches as [start, end] in seconds, in any order. 1 to 10000 items. */
  readonly ranges?: readonly (readonly [number, number])[] | undefined;
  /** What is heard instead: nothing, a tone of 1 kHz, or noise of the room's colour. Default: "mute". */
  readonly mode?: 'mute' | 'bleep' | 'noise' | undefined;
  /** How far before and behind a word its sound is taken, in ms. 0 to 500. Default: 20. */
  readonly guard_ms?: number | undefined;
  /** List what would be taken out, as a plan, and make no audio. Default: false. */
  readonly find_only?: boolean | undefined;
  /** Code of the language that is spoken; default detected. */
  readonly language?: string | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/** Inputs of change_speed. Makes a recording faster or slower and keeps the pitch of voices and music. */
export interface ChangeSpeedInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** How many times as fast: 1.25 takes a fifth off the length, 0.5 doubles it. 0.25 to 4. Default: 1.25. */
  readonly speed?: number | undefined;
  /** same keeps the input's format; of a video its sound, as m4a. Default: "same". */
  readonly output_format?: 'same' | 'wav' | 'mp3' | 'm4a' | 'flac' | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/**
 * Inputs of label_audio. Writes tags, a cover and chapters into a recording. Sound and moving picture are
 * copied as they are.
 */
export interface LabelAudioInputs extends JobInputs {
  /** Audio or video file. */
  readonly file_id: string;
  /** Picture that becomes the cover, JPEG or PNG. */
  readonly cover_file_id?: string | undefined;
  /** Of the recording; an empty text takes a tag away. At most 200 characters. */
  readonly title?: string | undefined;
  /** Who is heard. At most 200 characters. */
  readonly artist?: string | undefined;
  /** The show, or the album. At most 200 characters. */
  readonly album?: string | undefined;
  /** The year, or a date as 2026-11-30. At most 200 characters. */
  readonly date?: string | undefined;
  /** Such as Podcast. At most 200 characters. */
  readonly genre?: string | undefined;
  /** A few words about it. At most 2000 characters. */
  readonly comment?: string | undefined;
  /** In place of its own; an empty list takes them away. At most 500 items. */
  readonly chapters?:
    | readonly {
        /** Where it begins. 0 to 36000. */
        readonly start_seconds: number;
        /** What it is called. At most 400 characters. */
        readonly title: string;
      }[]
    | undefined;
  /** The sound track: number from 1, or language (deu). Default: the file's own. */
  readonly track?: string | undefined;
}

/** Inputs by tool. */
export interface InputsByTool {
  readonly analyze_audio: AnalyzeAudioInputs;
  readonly adjust_loudness: AdjustLoudnessInputs;
  readonly convert_audio: ConvertAudioInputs;
  readonly cut_audio: CutAudioInputs;
  readonly remove_silence: RemoveSilenceInputs;
  readonly join_audio: JoinAudioInputs;
  readonly replace_audio: ReplaceAudioInputs;
  readonly level_speakers: LevelSpeakersInputs;
  readonly mix_tracks: MixTracksInputs;
  readonly remove_noise: RemoveNoiseInputs;
  readonly enhance_voice: EnhanceVoiceInputs;
  readonly transcribe_audio: TranscribeAudioInputs;
  readonly align_script: AlignScriptInputs;
  readonly remove_fillers: RemoveFillersInputs;
  readonly check_audio: CheckAudioInputs;
  readonly align_recordings: AlignRecordingsInputs;
  readonly burn_captions: BurnCaptionsInputs;
  readonly redact_audio: RedactAudioInputs;
  readonly change_speed: ChangeSpeedInputs;
  readonly label_audio: LabelAudioInputs;
}
