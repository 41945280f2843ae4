// The file whose form a run's outputs take: its job process reads it like an input, and no tool sees it.
import { basename } from 'node:path';
import type { FilesByField, InputFile } from '../../contract/tool-inputs.ts';
import type { LikeForm, WrittenForm } from '../../media/write/written-form.ts';

/** No tool has a field of this name. */
const field = '';

type Form = WrittenForm | LikeForm | undefined;

const isLike = (form: Form): form is LikeForm => typeof form === 'object' && 'like' in form;

/** The inputs that a job process must be able to read. */
export const withModel = (inputs: FilesByField<InputFile>, form: Form): FilesByField<InputFile> =>
  isLike(form) ? { ...inputs, [field]: [{ path: form.like, name: form.name ?? basename(form.like) }] } : inputs;

/** The tool's own inputs, and the form with the path by which the process finds its model. */
export function splitModel(
  inputs: FilesByField<InputFile>,
  form: Form,
): { readonly inputs: FilesByField<InputFile>; readonly form: WrittenForm | LikeForm | null } {
  if (!isLike(form)) return { inputs, form: form ?? null };
  const { [field]: [model] = [], ...own } = inputs;
  return { inputs: own, form: { ...form, like: model?.path ?? form.like } };
}
