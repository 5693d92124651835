import hooks, { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

/**
 * What a program of tests loads first. Node's test runner has to know which test a call or an error comes from, and follows every promise
 * and every callback with an async hook for it: up to two fifths of the processor time of tests that run many statements. It takes what it
 * needs from `node:async_hooks` when it is loaded, so it is loaded here, with parts that ask an AsyncLocalStorage instead. Nobody else gets
 * these, and a runner that takes something else one day is as slow as it was.
 */
type Init = (id: number, type: string, trigger: number, resource: object) => void;

function loadRunner(): void {
  const { createHook, executionAsyncId, AsyncResource } = hooks;
  const current = new AsyncLocalStorage<InstanceType<typeof AsyncResource>>();
  let begun: Init = () => {};
  // Tests and suites are resources of the runner: it is told of each as it is made, and of nothing else.
  class TestResource extends AsyncResource {
    constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
      super(type, options);
      begun(this.asyncId(), type, 0, this);
    }

    override runInAsyncScope<This, Result>(
      act: (this: This, ...args: unknown[]) => Result,
      self?: This,
      ...args: unknown[]
    ): Result {
      return super.runInAsyncScope(() =>
        current.run(this, () => Reflect.apply(act, self as This, args) as Result),
      );
    }
  }
  Object.assign(hooks, {
    AsyncResource: TestResource,
    executionAsyncId: () => current.getStore()?.asyncId() ?? executionAsyncId(),
    createHook(callbacks: { readonly init: Init }) {
      begun = callbacks.init;
      return { enable() {}, disable() {} };
    },
  });
  try {
    createRequire(import.meta.url)('node:test');
  } finally {
    Object.assign(hooks, { createHook, executionAsyncId, AsyncResource });
  }
}

loadRunner();
