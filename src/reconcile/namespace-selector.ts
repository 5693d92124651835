/** SELECTOR_OPERATORS are how an expression compares a label. */
export const SELECTOR_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** NamespaceSelector says which namespaces the webhook covers by their labels, as Kubernetes reads a LabelSelector. */
export interface NamespaceSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly LabelExpression[];
}

/** LabelExpression compares one label. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: (typeof SELECTOR_OPERATORS)[number];
  readonly values?: readonly string[] | undefined;
}

/** selects tells whether labels are those that are meant: every label and every expression holds. */
export function selects(selector: NamespaceSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels, matchExpressions } = selector;
  return (
    Object.entries(matchLabels).every(
      ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
    ) && matchExpressions.every((expression) => holds(expression, labels))
  );
}

function holds(
  { key, operator, values = [] }: LabelExpression,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const among = value !== undefined && values.includes(value);
  switch (operator) {
    case 'In':
      return among;
    case 'NotIn':
      // A label that is not there has none of the values.
      return !among;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
