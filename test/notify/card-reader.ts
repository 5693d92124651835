import { createRequire } from 'node:module';
import type * as Cards from 'adaptivecards';
import { Window } from 'happy-dom';

/** ReadCard is what a host makes of a card. */
export interface ReadCard {
  /** Names of the elements that it shows. */
  readonly elements: readonly string[];
  readonly links: readonly string[];
  /** Texts that it reads as markdown. */
  readonly markdown: readonly string[];
  /** What it cannot make sense of. */
  readonly problems: readonly string[];
  readonly text: string;
}

// The renderer looks for a document where a browser has it, and only when it renders.
const window = new Window();
const { document, HTMLElement, HTMLButtonElement } = window;
Object.assign(globalThis, { window, document, HTMLElement, HTMLButtonElement });
const { AdaptiveCard, SerializationContext, Version } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof Cards;

let markdown: string[] = [];
AdaptiveCard.onProcessMarkdown = (text, result) => {
  markdown.push(text);
  result.outputHtml = '';
  result.didProcess = true;
};

/** readCard renders a card as a host does, by the library of those who made the format. */
export function readCard(content: unknown): ReadCard {
  const card = new AdaptiveCard();
  const context = new SerializationContext(new Version(1, 5));
  markdown = [];
  card.parse(content, context);
  const shown = card.render();
  if (shown === undefined) throw new Error('a card was not rendered');
  const all = [shown, ...shown.querySelectorAll('*')];
  const links = all.flatMap((element) =>
    [...element.attributes]
      .filter(({ name, value }) => /^(?:href|src|action|on.*)$/i.test(name) || /url\(/i.test(value))
      .map(({ value }) => value),
  );
  const events = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
  return {
    elements: all.map(({ tagName }) => tagName.toLowerCase()),
    links,
    markdown,
    problems: [...events, ...card.validateProperties().validationEvents.map(({ message }) => message)],
    text: shown.textContent,
  };
}
