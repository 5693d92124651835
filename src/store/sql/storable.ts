/**
 * storableText makes a text fit for both engines: NUL, which PostgreSQL cannot hold, and halves of surrogate pairs, which no
 * UTF-8 can, become U+FFFD. Any text that is hashed and stored is hashed in this form.
 */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\u{FFFD}') : whole;
}

/** storableValues gives the parameters of a statement in storable form; booleans become 0 and 1, undefined null. */
export function storableValues(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (typeof value === 'string') return storableText(value);
    if (typeof value === 'boolean') return value ? 1 : 0;
    return value === undefined ? null : value;
  });
}
