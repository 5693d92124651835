import { toSystemPackageUrl } from '../../findings/index.ts';

/** Types of results by the type of package URLs. */
const OF_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  cargo: ['cargo', 'rustbinary'],
  composer: ['composer', 'composer-vendor'],
  gem: ['bundler', 'gemspec'],
  golang: ['gobinary', 'gomod'],
  maven: ['jar', 'pom', 'gradle', 'sbt'],
  npm: ['bun', 'node-pkg', 'npm', 'pnpm', 'yarn'],
  nuget: ['dotnet-core', 'nuget', 'packages-props'],
  pypi: ['pip', 'pipenv', 'poetry', 'pylock', 'python-pkg', 'uv'],
};

const LANGUAGE_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(OF_LANGUAGE).flatMap(([purl, types]) => types.map((type) => [type, purl] as const)),
);

/**
 * toPackageUrl makes the package URL of a package from the type of the result that lists it, for reports of a Trivy before 0.48, which
 * wrote none; null for a type that is not known here. Without a version, since the finding has it.
 */
export function toPackageUrl(type: string, name: string): string | null {
  if (name === '') return null;
  const system = toSystemPackageUrl(type, name);
  if (system !== null) return system;
  const language = LANGUAGE_TYPES.get(type);
  if (language === undefined) return null;
  const path = language === 'maven' ? name.replace(':', '/') : name;
  return `pkg:${language}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
