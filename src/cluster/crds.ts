import * as z from 'zod/mini';
import { policyJsonSchema } from '../policy/index.ts';
import { runtimePolicyJsonSchema } from '../runtime/index.ts';
import { imageReportSchema } from './image-report.ts';
import { policyStatus } from './policy-status.ts';
import { toStructural } from './structural.ts';

type Json = Readonly<Record<string, unknown>>;

const GROUP = 'ipo.dev';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  /** 1: only with `-o wide`. */
  readonly priority?: number;
}

const READY = '.status.conditions[?(@.type=="Ready")]';
/** What every kind of policy shows. */
const POLICY_COLUMNS: readonly Column[] = [
  { name: 'Enforcement', type: 'string', jsonPath: '.status.enforcement' },
  { name: 'Ready', type: 'string', jsonPath: `${READY}.status` },
  { name: 'Namespaces', type: 'string', jsonPath: '.spec.targetNamespaces', priority: 1 },
  { name: 'Reason', type: 'string', jsonPath: `${READY}.message`, priority: 1 },
];
const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** customResourceDefinitions gives every CustomResourceDefinition of the operator, made from the schemas that read and write the objects. */
export function customResourceDefinitions(): readonly Json[] {
  const policy = policyJsonSchema()['properties'] as Readonly<Record<string, Json>>;
  const runtime = runtimePolicyJsonSchema()['properties'] as Readonly<Record<string, Json>>;
  const report = jsonSchemaOf(imageReportSchema)['properties'] as Readonly<Record<string, Json>>;
  return [
    definition({
      kind: 'ImagePolicy',
      plural: 'imagepolicies',
      shortNames: ['imgpol'],
      description: 'A policy of the image-policy operator.',
      required: ['spec'],
      fields: { spec: toStructural(policy['spec'] ?? {}), status: toStructural(jsonSchemaOf(policyStatus)) },
      columns: [...POLICY_COLUMNS, AGE],
    }),
    definition({
      kind: 'RuntimePolicy',
      plural: 'runtimepolicies',
      shortNames: ['rtpol'],
      description:
        'Which events of the runtime detector stop a pod, of the image-policy operator. It is asked for each event that no runtime rule allows.',
      required: ['spec'],
      fields: {
        spec: toStructural(runtime['spec'] ?? {}),
        status: toStructural(jsonSchemaOf(policyStatus)),
      },
      columns: [
        ...POLICY_COLUMNS,
        { name: 'Mode', type: 'string', jsonPath: '.spec.stopMode', priority: 1 },
        AGE,
      ],
    }),
    definition({
      kind: 'ClusterImageReport',
      plural: 'clusterimagereports',
      shortNames: ['cimgrep'],
      description:
        'What is known of one image: its state and what its newest scan found. Written by the operator.',
      required: ['spec'],
      fields: {
        spec: toStructural(report['spec'] ?? {}),
        status: toStructural(report['status'] ?? {}),
      },
      columns: [
        { name: 'Image', type: 'string', jsonPath: '.spec.image' },
        { name: 'State', type: 'string', jsonPath: '.status.state' },
        { name: 'Critical', type: 'integer', jsonPath: '.status.summary.critical' },
        { name: 'High', type: 'integer', jsonPath: '.status.summary.high' },
        { name: 'Medium', type: 'integer', jsonPath: '.status.summary.medium', priority: 1 },
        { name: 'Low', type: 'integer', jsonPath: '.status.summary.low', priority: 1 },
        { name: 'Scanned', type: 'date', jsonPath: '.status.scannedAt' },
        AGE,
      ],
    }),
  ];
}

function jsonSchemaOf(schema: z.core.$ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }) as Json;
}

interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly required: readonly string[];
  readonly fields: Json;
  readonly columns: readonly Column[];
}

function definition({ kind, plural, shortNames, description, required, fields, columns }: Definition): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GROUP}`,
      labels: { 'app.kubernetes.io/part-of': 'image-policy-operator' },
    },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
        categories: ['ipo'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required,
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                ...fields,
              },
            },
          },
        },
      ],
    },
  };
}
