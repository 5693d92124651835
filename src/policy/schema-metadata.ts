import * as z from 'zod/mini';
import { about, resourceName } from './schema-parts.ts';

const texts = (description: string, entry: string) =>
  z.optional(z.record(z.string(), z.string().check(about(entry))).check(about(description)));
const server = (description: string) =>
  z.optional(z.unknown().check(about(`${description} Set by the API server; ignored when read.`)));

/** metadata is the part of Kubernetes ObjectMeta that a policy may have, so that what `kubectl get -o yaml` prints is accepted. */
export const metadata = z
  .strictObject({
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
  })
  .check(about('Kubernetes object metadata.'));
