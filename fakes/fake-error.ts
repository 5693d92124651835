/** FakeError is a mistake of the user of a fake: an account, project or port that is not there. */
export class FakeError extends Error {
  readonly code: 'unknown_user' | 'unknown_project' | 'not_listening';

  constructor(code: FakeError['code'], message: string) {
    super(message);
    this.name = 'FakeError';
    this.code = code;
  }
}
