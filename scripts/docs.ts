import { writeFileSync } from 'node:fs';
import { METRICS, type Metric } from '../src/telemetry/index.ts';
import { listSettings, type Setting } from '../src/app/config/list.ts';

/** settingsPage is the page that documents every setting, made from the schema that checks them. */
export function settingsPage(): string {
  const rows = listSettings().map(
    (setting) =>
      `| \`${setting.path}\` | \`${setting.env}\` | ${cell(setting.form)} | ${standard(setting)} | ${cell(said(setting))} |`,
  );
  return `# Settings of the service

<!-- Made by scripts/docs.ts from src/app/config/settings.ts; a test holds them equal. -->

\`ipod --config FILE\` and \`ipo serve --config FILE\` read a file of YAML or JSON. Every setting can also be given in the environment,
which takes precedence over the file. A flag (\`--data\`, \`--listen\`) takes precedence over both. An unknown setting in the file is an
error. All invalid settings are reported at once, with their places.

In the environment, write a list of texts with commas, and lists of objects and objects as JSON. A secret can be read from a file of its
own. Give the path by the same name with \`File\` (in the file) or \`_FILE\` (in the environment) at the end.

| Setting | Environment | Values | Default | Meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function said({ description, isSecret }: Setting): string {
  return isSecret ? `${description}. A secret` : description;
}

function standard({ standard }: Setting): string {
  if (standard === undefined) return '';
  const text = typeof standard === 'string' ? standard : JSON.stringify(standard);
  return `\`${cell(text)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** metricsPage is the page that documents every series of the service. */
export function metricsPage(): string {
  const rows = Object.entries<Metric>(METRICS).map(([name, { kind, labels = {}, help }]) => {
    const named = Object.keys(labels).map((label) => `\`${label}\``);
    return `| \`${name}\` | ${kind} | ${named.join(', ')} | ${help} |`;
  });
  return `# Metrics of the service

<!-- Made by scripts/docs.ts from src/telemetry/catalogue.ts; a test holds them equal. -->

\`GET /metrics\` gives the series below in the text format of Prometheus, and those that every Node.js program has
(\`process_…\`, \`nodejs_…\`). It needs no sign-in: no series names an image, a policy or a person. Series whose labels are a closed
list are there at zero from the start.

| Series | Kind | Labels | Meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

// Run by itself it writes both pages: node scripts/docs.ts
if (import.meta.main) {
  const docs = new URL('../docs/', import.meta.url);
  writeFileSync(new URL('settings.md', docs), settingsPage());
  writeFileSync(new URL('metrics.md', docs), metricsPage());
}
