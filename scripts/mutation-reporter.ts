// Says of each fault what came of it as soon as it is known: a run over many takes hours and may be stopped.
import { relative } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type { MutantResult } from '@stryker-mutator/api/core';
import type { Reporter } from '@stryker-mutator/api/report';

class Survivors implements Reporter {
  private tested = 0;
  private noticed = 0;

  onMutantTested({ status, fileName, location, mutatorName, replacement }: Readonly<MutantResult>): void {
    if (status === 'Ignored' || status === 'CompileError' || status === 'RuntimeError') return;
    this.tested += 1;
    if (status === 'Killed' || status === 'Timeout') {
      this.noticed += 1;
      return;
    }
    const text = (replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 100);
    console.log(
      `${relative('.', fileName)}:${location.start.line}:${location.start.column} ${status} ${mutatorName}: ${text}  ` +
        `(${this.noticed} of ${this.tested} noticed so far)`,
    );
  }
}

/** What Stryker looks for in a plugin. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'survivors', Survivors)];
