/** ChoiceError says that the value of a flag is not one of its choices. It loads nothing, so that flags can be defined with it. */
export class ChoiceError extends Error {
  readonly code = 'usage';
  readonly place = undefined;
  readonly hint = undefined;
  readonly value: string;
  readonly choices: readonly string[];
  constructor(flag: string, value: string, choices: readonly string[]) {
    super(`${flag} ${value === '' ? '""' : value}: choose one of ${choices.join(', ')}`);
    this.value = value;
    this.choices = choices;
  }
}

/** oneOf gives the choice that the value of a flag means, in any case. Throws ChoiceError. */
export function oneOf(flag: string, value: string, choices: readonly string[]): string {
  const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  if (found === undefined) throw new ChoiceError(flag, value, choices);
  return found;
}
