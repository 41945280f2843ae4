// A tool's request as a form: its fields' names, derived from the declaration. The free API reads such forms, and the
// website makes them.
import type { OptionSchema } from '../../../library/core/checks/schema.ts';
import type { InputRole } from '../../../library/contract/tool-inputs.ts';
import { passageName } from '../../../library/contract/passage-order.ts';
import type { OfferedTool } from '../../offers/offers.ts';

/** A form field for files of one of the tool's inputs. */
export interface FileField {
  /** Name in the form: file, url, video, video_url, script. */
  readonly name: string;
  /** The tool's input. */
  readonly input: string;
  readonly role: InputRole;
  /** true: its values are public links, not files. */
  readonly link: boolean;
}

/** The form of a tool, derived from its declaration. */
export interface ToolForm {
  readonly tool: OfferedTool;
  readonly files: readonly FileField[];
  /** Names of the tool's options, but those that a field for files has: `track` of level_speakers takes recordings. */
  readonly options: readonly string[];
  /** Values of the field `format`; empty: no such field. */
  readonly formats: readonly string[];
}

/** Is it a list of times with titles? Pages take it as lines. */
export const isChapters = ({ items }: OptionSchema): boolean =>
  (items as OptionSchema | undefined)?.properties?.['start_seconds'] !== undefined;

/** file_id, file_ids and lists with settings become `file` and `url`; video_file_id becomes `video` and `video_url`. */
export function formOf(tool: OfferedTool): ToolForm {
  const files = Object.entries(tool.inputs).flatMap(([input, role]): FileField[] => {
    const base = role.itemKey === undefined ? input.replace(/_?file_ids?$/, '') : '';
    const field = { name: base === '' ? 'file' : base, input, role, link: false };
    if (role.kind !== 'media') return [field];
    return [field, { ...field, name: base === '' ? 'url' : `${base}_url`, link: true }];
  });
  const { properties = {} } = tool.options as { readonly properties?: object };
  // Passages are for accounts: the free part is a visitor's preview.
  const options = Object.keys(properties).filter(
    (name) => name !== passageName && files.every((field) => field.name !== name),
  );
  return { tool, files, options, formats: tool.formats ?? [] };
}
