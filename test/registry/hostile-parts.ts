import type { ServerResponse } from 'node:http';
import type { Asked, FakeRegistry } from './fake-registry.ts';
import { descriptorOf, imageOf, OCI } from './images.ts';

/** GOOD is an image, and DESCRIPTOR what names it. */
export const GOOD = imageOf('web');
export const DESCRIPTOR = descriptorOf(GOOD.manifest);

/** answer lets a registry answer everything in one way. */
export function answer(fake: FakeRegistry, act: (response: ServerResponse, asked: Asked) => void): void {
  fake.answering = (asked, response) => {
    act(response, asked);
    return true;
  };
}

/** bytes answers with content of a type. */
export function bytes(response: ServerResponse, content: string | Buffer, type: string = OCI.manifest): void {
  response.writeHead(200, { 'content-type': type }).end(content);
}
