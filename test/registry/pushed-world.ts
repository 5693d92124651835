import { startFakeRegistry, type FakeRegistry } from './fake-registry.ts';
import { imageOf, push, type Ending, type MadeImage } from './images.ts';

/** pushedWorld starts a registry with the image `shop/web:1`. */
export async function pushedWorld(t: Ending): Promise<{ fake: FakeRegistry; made: MadeImage }> {
  const fake = await startFakeRegistry(t);
  const made = imageOf('web');
  await push(fake.url, 'shop/web', { blobs: made.blobs, manifests: [{ content: made.manifest, as: '1' }] });
  fake.since();
  return { fake, made };
}
