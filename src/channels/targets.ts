/**
 * isTargetGlob tells whether a text can narrow where issues go: the path of a repository or project, in which `*` stands for a part
 * of one step and `**` for any number of steps.
 */
export function isTargetGlob(text: string): boolean {
  return (
    text.length <= 255 &&
    text
      .split('/')
      .every((step) => step === '**' || (/^[A-Za-z0-9_.*-]+$/.test(step) && !step.includes('**'))) &&
    !text.split('/').some((step) => step === '.' || step === '..')
  );
}

/**
 * isAllowedTarget tells whether issues of a channel may go to a repository or project, by its path. Without globs they may go to
 * every one. Letters count the same in both cases, as the providers have it.
 */
export function isAllowedTarget(globs: readonly string[], path: string): boolean {
  const steps = path.toLowerCase().split('/');
  return (
    globs.length === 0 ||
    globs.some((glob) =>
      matches(glob.toLowerCase().split('/'), steps, '**', (pattern, step) =>
        matches([...pattern], [...step], '*', (a, b) => a === b),
      ),
    )
  );
}

/** Matches a list with one in which `many` stands for any number of items; never more steps than one length times the other. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  many: string,
  fits: (pattern: string, item: string) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let item = 0; item < items.length;) {
    const part = pattern[at];
    if (part === many) {
      star = at;
      at += 1;
      resume = item;
    } else if (part !== undefined && fits(part, items[item] ?? '')) {
      at += 1;
      item += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      item = resume;
    } else return false;
  }
  return pattern.slice(at).every((part) => part === many);
}
