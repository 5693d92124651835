/** Change is one line of what a release changed, as Artifact Hub lists it. */
export interface Change {
  readonly kind: string;
  readonly description: string;
}

/** toChanges takes the first sentence of each entry that the changelog has for a version; while it has none, of what is not released. */
export function toChanges(changelog: string, version: string): readonly Change[] {
  const sections = changelog.split(/^## /m).slice(1);
  const section =
    sections.find((text) => text.startsWith(version) || text.startsWith(`[${version}]`)) ??
    sections.find((text) => text.startsWith('Unreleased')) ??
    '';
  return section
    .split(/^### /m)
    .slice(1)
    .flatMap((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const entries = lines.join('\n').split(/^- /m).slice(1);
      return entries.map((entry) => ({
        kind: heading.trim().toLowerCase(),
        description: firstSentence(entry.replaceAll(/\s+/g, ' ').trim()),
      }));
    });
}

function firstSentence(text: string): string {
  const [sentence = text] = /^.*?[.:](?= |$)/.exec(text) ?? [];
  // A link leads nowhere there.
  return sentence.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/:$/, '.');
}
