import { isFault, type EventSeries, type EventSink } from '../../cluster/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { pathOf, RESOURCES } from './resources.ts';

/** eventSink writes events of events.k8s.io/v1. `instance` names this process. */
export function eventSink(api: KubernetesApi, instance: string): EventSink {
  // An event on an object of the whole cluster stands in the namespace `default`.
  const namespaceOf = ({ event }: EventSeries): string => event.regarding.namespace ?? 'default';
  return {
    async create(series) {
      const { event, name, firstAt, count, lastAt } = series;
      const namespace = namespaceOf(series);
      await api.call({
        method: 'POST',
        path: pathOf(RESOURCES.events, { namespace }),
        body: {
          apiVersion: RESOURCES.events.apiVersion,
          kind: RESOURCES.events.kind,
          metadata: { name, namespace },
          eventTime: firstAt,
          reportingController: `ipo.dev/${MANAGER}`,
          reportingInstance: instance.slice(0, 128),
          action: event.action,
          reason: event.reason,
          regarding: event.regarding,
          note: event.note,
          type: event.type,
          ...(count > 1 && { series: { count, lastObservedTime: lastAt } }),
        },
        what: `an event in ${namespace}`,
        timeoutMs: 5_000,
      });
    },
    async again(series) {
      const { name, count, lastAt } = series;
      const namespace = namespaceOf(series);
      try {
        await api.call({
          method: 'PATCH',
          patch: 'merge',
          path: pathOf(RESOURCES.events, { namespace, name }),
          body: { series: { count, lastObservedTime: lastAt } },
          what: `an event in ${namespace}`,
          timeoutMs: 5_000,
        });
        return true;
      } catch (error) {
        if (isFault(error, 'not_found')) return false;
        throw error;
      }
    },
  };
}
