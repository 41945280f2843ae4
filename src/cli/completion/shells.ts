// Completion scripts for three shells. They are complete in themselves: completing starts no program.
import { allCommands, type DescribedCommand, type DescribedOption } from './described.ts';

/** In single quotes for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const nameOf = ({ path }: DescribedCommand): string => path.at(-1) ?? '';
const withValues = ({ takes }: DescribedOption): readonly string[] => (Array.isArray(takes) ? takes : []);

export function bashScript(program: DescribedCommand): string {
  const commands = allCommands(program);
  const cases = commands.flatMap((command) => {
    const at = command.path.join(' ');
    return command.options.flatMap((option) => {
      const patterns = option.flags.map((flag) => quoted(`${at}:${flag}`)).join(' | ');
      if (option.takes === 'nothing') return [];
      if (option.takes === 'path') return [`    ${patterns}) words= files=yes ;;`];
      return [`    ${patterns}) words=${quoted(withValues(option).join(' '))} files= ;;`];
    });
  });
  const offers = commands.map((command) => {
    const flags = command.options.flatMap((option) => option.flags).join(' ');
    const inner = command.commands.map(nameOf).join(' ');
    const files = command.takesFiles ? 'yes' : '';
    return `    ${quoted(command.path.join(' '))}) flags=${quoted(flags)} words=${quoted(inner)} files=${files} ;;`;
  });
  const paths = commands
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => quoted(path.join(' ')))
    .join(' | ');
  return `# Completion of earshot in bash. Load it with: source <(earshot completion bash)
_earshot() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= word flags= words= files=
  local -i index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${at:+$at }\${COMP_WORDS[index]}"
    case $word in
    ${paths}) at=$word ;;
    esac
  done
  case $at in
${offers.join('\n')}
  esac
  if [[ $cur == -* ]]; then
    words=$flags files=
  else
    case "$at:$prev" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _earshot earshot
`;
}

/** Brackets and colons have a meaning in the specifications of _arguments and _describe. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);

function zshOption(option: DescribedOption): string {
  const behind = { nothing: '', path: ':file:_files', value: ':value: ' };
  const value = typeof option.takes === 'string' ? behind[option.takes] : `:value:(${option.takes.join(' ')})`;
  const text = `[${zshText(option.description)}]${value}`;
  const [first = ''] = option.flags;
  return option.flags.length > 1
    ? `'(${option.flags.join(' ')})'{${option.flags.join(',')}}${quoted(text)}`
    : quoted(`${first}${text}`);
}

function zshFunction(command: DescribedCommand): string {
  const name = ['_earshot', ...command.path].join('_');
  const options = command.options.map((option) => `    ${zshOption(option)} \\`).join('\n');
  if (command.commands.length === 0)
    return (
      `${name}() {\n  _arguments -s \\\n${options}\n    ` +
      `${command.takesFiles ? quoted('*:file:_files') : quoted('*: : ')}\n}\n`
    );
  const list = command.commands.map((inner) => `    ${quoted(`${nameOf(inner)}:${zshText(inner.summary)}`)}`);
  const cases = command.commands.map((inner) => `    ${nameOf(inner)}) ${['_earshot', ...inner.path].join('_')} ;;`);
  return `${name}() {
  local curcontext=$curcontext state line
  local -a commands=(
${list.join('\n')}
  )
  _arguments -C \\
${options}
    '1: :->command' '*:: :->rest'
  case $state in
  command) _describe -t commands 'command' commands ;;
  rest)
    case $line[1] in
${cases.join('\n')}
    esac ;;
  esac
}
`;
}

export const zshScript = (program: DescribedCommand): string => `#compdef earshot
# Completion of earshot in zsh. Load it with: source <(earshot completion zsh)
${allCommands(program).map(zshFunction).join('\n')}
if [[ $funcstack[1] == _earshot ]]; then
  _earshot "$@"
else
  compdef _earshot earshot
fi
`;

const fishQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** The condition under which a command's own flags and subcommands are offered. */
function fishCondition(command: DescribedCommand): string {
  const seen = command.path.map((name) => `__fish_seen_subcommand_from ${name}`);
  const inner = command.commands.map(nameOf);
  const none = inner.length === 0 ? [] : [`not __fish_seen_subcommand_from ${inner.join(' ')}`];
  return [...seen, ...none].join('; and ');
}

export function fishScript(program: DescribedCommand): string {
  const lines = allCommands(program).flatMap((command) => {
    const where = `complete -c earshot -n ${fishQuoted(fishCondition(command))}`;
    const options = command.options.map((option) => {
      const flags = option.flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const behind = { nothing: '', path: ' -r -F', value: ' -x' };
      const value =
        typeof option.takes === 'string' ? behind[option.takes] : ` -x -a ${fishQuoted(option.takes.join(' '))}`;
      return `${where} ${flags.join(' ')}${value} -d ${fishQuoted(option.description)}`;
    });
    const inner = command.commands.map((each) => `${where} -f -a ${nameOf(each)} -d ${fishQuoted(each.summary)}`);
    return [...options, ...inner];
  });
  return `# Completion of earshot in fish. Load it with: earshot completion fish | source\n${lines.join('\n')}\n`;
}
