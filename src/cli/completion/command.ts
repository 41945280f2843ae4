import { Argument, type Command } from 'commander';
import type { CommandContext } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit.ts';
import { defineAll } from '../terminal/defined-later.ts';

/** `earshot completion bash`: a script that makes the shell complete commands, flags and values. */
export function defineCompletion(command: Command, context: CommandContext): void {
  command
    .description(
      'Print a script that makes a shell complete commands, flags and their values. In ~/.bashrc: ' +
        'source <(earshot completion bash); in ~/.zshrc, behind compinit: source <(earshot completion zsh); in ' +
        '~/.config/fish/config.fish: earshot completion fish | source',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const [{ describeCommand }, { bashScript, fishScript, zshScript }] = await Promise.all([
        import('./described.ts'),
        import('./shells.ts'),
      ]);
      const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
      const program = command.parent ?? command;
      await defineAll(program);
      process.stdout.write(scripts[shell](describeCommand(program)));
      context.finish(exitCodes.ok);
    });
}
