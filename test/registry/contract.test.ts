import { registryContract } from './contract.ts';
import { startFakeRegistry } from './fake-registry.ts';
import { skipReal, startRealRegistry } from './real-registry.ts';

registryContract('a fake registry with the referrers API', startFakeRegistry, false);
registryContract(
  'a fake registry without the referrers API',
  async (t) => {
    const fake = await startFakeRegistry(t);
    fake.referrers = false;
    return fake;
  },
  false,
);
registryContract('docker-registry', startRealRegistry, skipReal);
