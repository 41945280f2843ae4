export interface VNode {
  readonly type: unknown;
  readonly props: unknown;
  readonly key: unknown;
}

export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): VNode;

export function renderToString(node: unknown): string;
