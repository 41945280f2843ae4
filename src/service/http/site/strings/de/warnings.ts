import type { WarningCode } from '../../../../../library/core/errors/warnings.ts';

/** Each has to be true for every tool that says it: names and figures are in the English message alone. */
export const warnings: Readonly<Record<WarningCode, string>> = {
  bitrate_changed: 'Das Format hat die gewünschte Bitrate nicht; das Ergebnis hat eine andere.',
  bleed_not_told:
    'Die Spuren sind einander zu ähnlich oder zu kurz, um zu unterscheiden, was jemand selbst sagt und was sein ' +
    'Mikrofon von anderen aufnimmt. Prüfen Sie, ob jede Spur das Mikrofon einer Person ist.',
  broken_samples: 'Einige Abtastwerte waren ungültig oder viel zu groß und wurden ersetzt.',
  channels_alike: 'Alle Kanäle enthalten denselben Ton: Sprecher lassen sich daran nicht unterscheiden.',
  channels_reduced: 'Das Format fasst weniger Kanäle: Sie wurden zusammengemischt.',
  chapters_dropped:
    'Kapitel fehlen im Ergebnis: Das Format fasst keine oder nicht so viele, oder sie wurden herausgeschnitten.',
  chunks_dropped: 'Rundfunkdaten, Marken oder andere Teile der Datei haben in der Ausgabe keinen Platz.',
  clock_jump: 'Die Uhr der Datei springt ohne Grund vor; der Ton wurde ohne Lücke weitergelesen.',
  container_changed: 'Dateien im Format der Eingabe werden nicht geschrieben; das Ergebnis hat ein anderes.',
  crossfade_shortened: 'Eine Datei ist für die gewünschte Überblendung zu kurz; ihre Überblendungen wurden gekürzt.',
  damaged_picture: 'Beschädigte Bilder wurden weggelassen.',
  damaged_sound: 'Beschädigte Stücke des Tons wurden weggelassen.',
  deep_limiting: 'Die Lautheit ist erreicht, aber Spitzen wurden so weit gesenkt, dass es hörbar sein kann.',
  dolby_vision_lost: 'Das neue Bild hat keine Angaben für Dolby Vision mehr; gezeigt wird seine Grundschicht.',
  doubtful_voice_kept:
    'Was ferne oder gleichzeitige Stimmen sein könnte, wurde nur abgeschwächt und nicht ganz entfernt.',
  extension_mismatch: 'Die Datei hat ein anderes Format, als ihre Endung sagt.',
  far_voice_kept: 'Stimmen, die mit dem Geräusch entfernt worden wären, blieben unverändert.',
  form_changed: 'Der Ton wechselt mittendrin Abtastrate oder Kanäle: Das Ganze hat die Form seines Anfangs.',
  layout_changed: 'Das Format kennt diese Anordnung der Kanäle nicht; das Ergebnis hat eine andere.',
  level_kept: 'Das meiste der Aufnahme ist Musik ohne Stimme: Ihr Pegel blieb, wie er war.',
  level_lowered: 'Abgeschnittene Spitzen wurden wiederhergestellt; damit sie hineinpassen, ist der Pegel niedriger.',
  lossy_sound: 'Der Ton war verlustfrei gespeichert; in dieser Art von Video wird er mit Verlust gespeichert.',
  marks_removed: 'Marken einer WAV-Datei lagen in dem, was geschnitten wurde.',
  matched_not_decided:
    'Alle Wörter des Skripts gelten als gesprochen: Es ließ sich nicht prüfen, welche wirklich zu hören sind.',
  music_kept: 'Musik ohne Stimme blieb unverändert.',
  no_captions: 'Solange das Video läuft, ist kein Untertitel zu sehen.',
  no_common_sound: 'Eine Aufnahme enthält nichts, was auch die anderen enthalten: Sie hat keinen Platz neben ihnen.',
  no_filler_list: 'Für diese Sprache gibt es keine Liste von Füllwörtern: Nur wiederholte Wörter wurden gesucht.',
  no_overlap: 'Der neue Ton liegt ganz außerhalb des Bildes: Das Ergebnis ist stumm.',
  no_pauses: 'Es wurden keine Pausen gefunden, die lang genug sind: Nichts wurde entfernt.',
  no_speech: 'In der Aufnahme oder in einer ihrer Spuren wurde keine Sprache gefunden.',
  no_steady_noise: 'Es wurde kein gleichmäßiges Geräusch gefunden: Der Ton ist, wie er war.',
  no_voice: 'In der Aufnahme wurde keine deutliche Stimme gefunden, nach der sich die Bearbeitung richten könnte.',
  noise_floor: 'Das Grundrauschen ist lauter, als ACX erlaubt. Entfernen Sie zuerst das Geräusch.',
  nothing_to_duck:
    'Nichts wurde abgesenkt: Es gab nichts zum Absenken, oder auf den Spuren mit Stimmen war keine Sprache.',
  offset_removed: 'Der Ton lag neben seiner Nulllinie, was Platz für Spitzen kostet, und wurde darauf zurückgesetzt.',
  only_fillers: 'Die Aufnahme besteht nur aus Füllwörtern: Nichts wurde entfernt.',
  only_noise: 'Ohne das Geräusch blieb keine Stimme übrig: Der Rest wurde nicht lauter gemacht.',
  opposite_channels:
    'Kanäle sind einander entgegengesetzt und löschen sich beim Mischen aus: Einer von ihnen wurde umgepolt.',
  other_sound_dropped: 'Die Datei hat mehrere Tonspuren; im Ergebnis ist nur die bearbeitete.',
  outputs_left_out: 'Einige Ausgaben wurden weggelassen.',
  over_full_scale:
    'Spitzen liegen über der Vollaussteuerung: Sie sind abgeschnitten oder werden es beim Abspielen. Der Pegel ' +
    'müsste niedriger sein.',
  peak_over_ceiling: 'Die Spitzen (True Peak) des Ergebnisses liegen über der Grenze.',
  peaks_fitted: 'Spitzen lagen über der Vollaussteuerung: Der Pegel wurde gesenkt, bis sie hineinpassten.',
  picture_not_moved: 'Das Ergebnis eines Videos ist sein Ton: Sein Bild wird nicht auf die Zeit der anderen gebracht.',
  picture_reencoded: 'Das Bild oder ein Teil davon wurde neu kodiert.',
  place_in_doubt: 'Der Platz einer Aufnahme neben den anderen kann um 20 ms oder mehr falsch sein.',
  quiet_voice_kept: 'Flüstern, Knarren, Lachen oder gleichzeitige Stimmen wurden schonender vom Geräusch getrennt.',
  read_error: 'Das Lesen brach vor dem Ende der Datei ab.',
  repeats: 'Eine Aufnahme wiederholt sich: Sie passt an viele Stellen neben den anderen und hat darum keinen Platz.',
  sample_rate_changed: 'Das Format fasst diese Abtastrate nicht; das Ergebnis hat eine andere.',
  script_left_out: 'Wörter des Skripts wurden weggelassen: Die Aufnahme ist zu kurz für alle.',
  script_in_other_order:
    'Teile des Skripts werden in anderer Reihenfolge gesprochen; das Ergebnis hat die der Aufnahme.',
  script_of_another_recording:
    'Das Skript scheint zu einer anderen Aufnahme zu gehören. Prüfen Sie, ob beide zusammengehören.',
  delay_jumps:
    'Die Verzögerung zwischen zwei Aufnahmen springt, wie bei einem Anruf: Ausgerichtet ist nach der häufigsten.',
  shares_music: 'Zwei Aufnahmen haben vielleicht nur Musik gemeinsam, die in beiden läuft.',
  silent: 'Der Ton, oder was ohne Geräusch von ihm bleibt, ist stumm.',
  slower_than_speech: 'Diese Maschine liest langsamer, als gesprochen wird.',
  sound_codec_changed:
    'Der Ton des Videos ist anders kodiert als zuvor: Seine eigene Kodierung wird in solche Dateien nicht geschrieben.',
  sound_missing: 'In der Datei fehlt ein Stück des Tons: an seiner Stelle ist Stille.',
  sound_track_skipped: 'Die erste Tonspur kann nicht gelesen werden; gelesen wurde eine andere.',
  sounds_not_told:
    'Der Klangerkenner ist nicht installiert: Musik kann für eine leise Stimme oder für Rauschen gehalten werden, ' +
    'Bellen und Knallen für eine Stimme.',
  speech_not_understood: 'An manchen Stellen spricht jemand, aber kein Wort wurde verstanden.',
  steady_sound_loud:
    'Das gleichmäßige Geräusch ist fast so laut wie das Ganze: Wenn es Musik ist, wurde auch sie leiser. Nehmen Sie ' +
    'dafür das andere Verfahren.',
  streams_dropped: 'Weitere Bildspuren, Untertitel, Titelbilder, Anhänge oder Datenspuren sind nicht im Ergebnis.',
  tags_not_kept:
    'Schlagwörter oder Eigenschaften von Bildern oder Kapiteln fehlen in der Ausgabe, die sie nicht fasst oder ' +
    'andere hat.',
  taken_for_music: 'Eine Spur hat keine Stimme und wurde als Musik gemischt.',
  target_not_reached: 'Das Ergebnis ist leiser als gewünscht: Mehr Verstärkung würde die Spitzen hörbar verzerren.',
  too_short: 'Der Ton ist kürzer als 0,4 s: Seine Lautheit lässt sich nicht messen.',
  track_not_levelled: 'Eine Spur behält ihre Pegel: Angeglichen wären die Stimmen der anderen auf ihr lauter geworden.',
  redaction_incomplete: 'Der Erkenner findet noch etwas, das entfernt werden sollte.',
  transcript_ends_early: 'Das Transkript ist kürzer als die Aufnahme: Vielleicht gehört es zu einer anderen.',
  truncated: 'Die Datei verspricht mehr Ton, als sich lesen ließ: Sie ist abgeschnitten oder beschädigt.',
  unmatched_words: 'Einige Wörter des Skripts wurden in der Aufnahme nicht gefunden.',
  very_weak:
    'Die Aufnahme ist so leise, dass ihre Lautheit nicht bestimmt ist. Sie wurde trotzdem lauter gemacht; vielleicht ' +
    'ist nur Rauschen zu hören.',
  voices_left_out: 'Bekannte Stimmen wurden ausgelassen: Ihre Abdrücke stammen von einem anderen Netz.',
  words_not_recorded: 'Im Text stehen Wörter, die nicht in der Aufnahme sind; sie wurden weggelassen.',
  words_overlapped: 'Einige gelöschte Wörter blieben, weil zugleich jemand anders spricht.',
  words_rewritten: 'Einige Wörter sind im Text anders geschrieben; ihr Ton blieb.',
};
