import * as z from 'zod/mini';
import { about, anything, field, isMapping, mapping, optional, WRONG } from './field.ts';
import { resourceName } from './schema-parts.ts';

const texts = (description: string, entry: string) =>
  optional(
    field(
      () => z.record(z.string(), z.string().check(about(entry))).check(about(description)),
      (value) => {
        if (!isMapping(value)) return WRONG;
        const isText = ([name, one]: [string, unknown]): boolean =>
          name !== '__proto__' && typeof one === 'string';
        return Object.entries(value).every(isText) ? { ...value } : WRONG;
      },
    ),
  );
const server = (description: string) =>
  optional(anything(`${description} Set by the API server; ignored when read.`));

/** metadata is the part of Kubernetes ObjectMeta that a policy may have, so that what `kubectl get -o yaml` prints is accepted. */
export const metadata = mapping(
  {
    name: resourceName,
    labels: texts('Kubernetes labels.', 'Value of a label.'),
    annotations: texts('Kubernetes annotations.', 'Value of an annotation.'),
    finalizers: server('Finalizers.'),
    ownerReferences: server('Objects that own this one.'),
    generateName: server('Prefix that the name was made from.'),
    generation: server('Number of the desired state.'),
    uid: server('Unique id of the object.'),
    resourceVersion: server('Version of the object.'),
    creationTimestamp: server('When the object was made.'),
    deletionTimestamp: server('When the object will be deleted.'),
    deletionGracePeriodSeconds: server('Seconds until the object is deleted.'),
    selfLink: server('Address of the object in older clusters.'),
    managedFields: server('Who set which field.'),
  },
  'Kubernetes object metadata.',
);
