/** FalcoValuesOptions say how the detector calls. */
export interface FalcoValuesOptions {
  readonly connection: 'mtls' | 'sidekick';
  /** `https://HOST:8444`. */
  readonly address: string;
  /** Secret in the namespace of Falco. */
  readonly secret: string;
}

const FOLDER = '/etc/ipo-detector';

/** falcoValues gives values for the chart of Falco, with falcosidekick's below it where that calls. */
export function falcoValues({ connection, address, secret }: FalcoValuesOptions) {
  const mount = { name: 'ipo-detector', mountPath: FOLDER, readOnly: true };
  const volume = { name: 'ipo-detector', secret: { secretName: secret } };
  const falco = {
    json_output: true,
    json_include_output_property: true,
    json_include_tags_property: true,
    // A list takes the place of the chart's own, so the default rules stand in it.
    rules_files: ['/etc/falco/falco_rules.yaml', '/etc/falco/falco_rules.local.yaml', '/etc/falco/rules.d'],
    // Without these an event names neither the digest of its image nor the uid of its pod.
    append_output: [
      {
        match: { source: 'syscall' },
        extra_fields: ['container.image.digest', 'k8s.pod.uid', 'container.full_id'],
      },
    ],
    // Signs of life, by which evidence knows that Falco ran.
    metrics: { enabled: true, interval: '15m', output_rule: true },
  };
  if (connection === 'mtls')
    return {
      falco: {
        ...falco,
        http_output: {
          enabled: true,
          url: `${address}/falco`,
          keep_alive: true,
          ca_cert: `${FOLDER}/ca.crt`,
          mtls: true,
          client_cert: `${FOLDER}/client.crt`,
          client_key: `${FOLDER}/client.key`,
        },
      },
      mounts: { volumes: [volume], volumeMounts: [mount] },
    };
  return {
    falco,
    falcosidekick: {
      enabled: true,
      config: {
        mutualtlsclient: {
          certfile: `${FOLDER}/client.crt`,
          keyfile: `${FOLDER}/client.key`,
          cacertfile: `${FOLDER}/ca.crt`,
        },
        webhook: { address: `${address}/falcosidekick`, mutualtls: true },
      },
      extraVolumes: [volume],
      extraVolumeMounts: [mount],
    },
  };
}
