/** Part is a stretch of a Markdown body: fenced code, which nothing acts on, or the rest. */
export interface Part {
  readonly code: boolean;
  readonly text: string;
}

/** splitFences cuts a body into fenced code and the rest. A fence that is never closed runs to the end. */
export function splitFences(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const flush = (code: boolean): void => {
    if (lines.length > 0) parts.push({ code, text: lines.join('\n') });
    lines = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (fence === null) {
      const open = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
      if (open !== undefined) {
        flush(false);
        fence = open;
      }
      lines.push(line);
    } else {
      lines.push(line);
      const close = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
      if (close !== undefined && close[0] === fence[0] && close.length >= fence.length) {
        flush(true);
        fence = null;
      }
    }
  }
  flush(fence !== null);
  return parts;
}
