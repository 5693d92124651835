import { IpoError } from '../base/index.ts';

/** CatalogueError says why a catalogue that could be read is not believed, or why it is not asked for now. */
export class CatalogueError extends IpoError {
  override readonly name = 'CatalogueError';
  constructor(code: 'invalid_report' | 'unavailable', message: string, hint?: string) {
    super(code, message, { hint });
  }
}
