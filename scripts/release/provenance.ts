import type { Pins } from '../image/pins.ts';

/**
 * toProvenance is the predicate of an SLSA v1 provenance: which commit was built by which builder, from which pinned files. What signs it says
 * whether it is believed; a build on a person's machine says so by its builder.
 */
export function toProvenance(from: {
  version: string;
  revision: string;
  created: string;
  pins: Pins;
  env: Readonly<Record<string, string | undefined>>;
}): string {
  const { env, pins, revision } = from;
  const server = env['GITHUB_SERVER_URL'];
  const repository = env['GITHUB_REPOSITORY'];
  const isWorkflow = env['GITHUB_ACTIONS'] === 'true' && server !== undefined && repository !== undefined;
  const source = isWorkflow ? `git+${server}/${repository}@${env['GITHUB_REF'] ?? ''}` : 'local';
  const files = Object.entries(pins.debian).flatMap(([architecture, packages]) =>
    Object.entries(packages).map(([name, pin]) => ({
      uri: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(pin.version)}?arch=${architecture}`,
      digest: { sha256: pin.sha256 },
    })),
  );
  return `${JSON.stringify(
    {
      buildDefinition: {
        buildType: 'https://ipo.dev/buildtypes/release/v1',
        externalParameters: { version: from.version, source },
        internalParameters: {},
        resolvedDependencies: [{ uri: source, digest: { gitCommit: revision } }, ...files],
      },
      runDetails: {
        builder: {
          id: isWorkflow
            ? `${server}/${env['GITHUB_WORKFLOW_REF'] ?? repository}`
            : 'https://ipo.dev/builders/local',
        },
        metadata: {
          invocationId: isWorkflow
            ? `${server}/${repository}/actions/runs/${env['GITHUB_RUN_ID'] ?? ''}/attempts/${env['GITHUB_RUN_ATTEMPT'] ?? ''}`
            : `local-${revision}`,
          startedOn: from.created,
        },
      },
    },
    null,
    2,
  )}\n`;
}
