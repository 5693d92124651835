/** ActiveKind is what a piece of text does beyond being read. */
export type ActiveKind =
  | 'mention'
  | 'reference'
  | 'quick_action'
  | 'image'
  | 'html'
  | 'comment'
  | 'macro'
  | 'link'
  | 'embed';

/**
 * Active is a piece of a title or body that the tracker acts on: it notifies somebody, makes a cross reference, runs a
 * command, fetches a picture, hides text. Links and hidden comments are listed too; whether they are meant is for the
 * test to say.
 */
export interface Active {
  readonly kind: ActiveKind;
  readonly text: string;
}
