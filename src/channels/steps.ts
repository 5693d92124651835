const STEP = /^(?!\.{1,2}$)[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}$/;

/** isStep tells whether a text can be one step of the path of a repository or project. */
export function isStep(text: string): boolean {
  return STEP.test(text);
}

/** isName tells whether it can be a name in one: a step without `.git` at its end. */
export function isName(step: string): boolean {
  return isStep(step) && !/\.git$/i.test(step);
}

/** withoutPage cuts the steps of a path at `-`, behind which GitLab has the pages of a project. */
export function withoutPage(steps: readonly string[]): readonly string[] {
  const dash = steps.indexOf('-');
  return dash === -1 ? steps : steps.slice(0, dash);
}
