// What a module exports and where each name is declared, by a parser; nothing is run. For docs:check and the reference.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

const modules = new Map();
function moduleOf(file) {
  let module = modules.get(file);
  if (module === undefined) {
    const source = readFileSync(file, 'utf8');
    const { program, comments, errors } = parseSync(file, source);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    module = { file, source, program, docs: comments.filter((c) => c.type === 'Block' && c.value.startsWith('*')) };
    modules.set(file, module);
  }
  return module;
}

/** The docstring that ends right before the node, with directives to the linter between at most; '' without one. */
export function docOf(module, node) {
  const doc = module.docs.findLast((c) => c.end <= node.start);
  if (doc === undefined) return '';
  const between = module.source.slice(doc.end, node.start).replaceAll(/^\s*\/\/ oxlint-.*$/gm, '');
  if (between.trim() !== '') return '';
  return doc.value.replaceAll(/^\s*\*+ ?/gm, '').trim();
}

/** What a declaration, a key or a specifier is called; '' for none. */
export const nameOf = (node) => node?.name ?? node?.value ?? '';
/** The file behind a relative specifier; undefined: a package's. */
export const targetOf = (module, specifier) =>
  specifier.startsWith('.') ? resolve(dirname(module.file), specifier) : undefined;

/** Where a name that a module has at its top level is declared: following its own exports and its imports. */
export function find(file, name) {
  const module = moduleOf(file);
  for (const node of module.program.body) {
    const declared = node.type === 'ExportNamedDeclaration' && node.declaration ? node.declaration : node;
    if (nameOf(declared.id) === name) return { module, name, node: declared, outer: node };
    if (declared.type === 'VariableDeclaration') {
      const one = declared.declarations.find((d) => nameOf(d.id) === name);
      if (one !== undefined) return { module, name, node: one, outer: node };
    }
    const source = node.source && targetOf(module, node.source.value);
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ImportDeclaration') {
      const specifier = node.specifiers.find((s) => nameOf(s.exported ?? s.local) === name);
      if (specifier === undefined) continue;
      const original = nameOf(
        node.type === 'ImportDeclaration' ? (specifier.imported ?? specifier.local) : specifier.local,
      );
      if (node.source === null || node.source === undefined) {
        if (original !== name) return find(file, original);
      } else return source === undefined ? { outside: node.source.value } : find(source, original);
    }
    if (node.type === 'ExportAllDeclaration' && source !== undefined) {
      const found = find(source, name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The names a module exports. */
export function exportsOf(file) {
  const module = moduleOf(file);
  return module.program.body.flatMap((node) => {
    if (node.type === 'ExportAllDeclaration') return exportsOf(targetOf(module, node.source.value));
    if (node.type !== 'ExportNamedDeclaration') return [];
    const { declaration } = node;
    if (!declaration) return node.specifiers.map((s) => nameOf(s.exported));
    if (declaration.type === 'VariableDeclaration') return declaration.declarations.map((d) => nameOf(d.id));
    return [nameOf(declaration.id)];
  });
}
