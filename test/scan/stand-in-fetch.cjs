'use strict';
/**
 * Fetches the manifest and the configuration of an image as the library of Trivy and Grype does, by what the program was given alone:
 * `--insecure` or GRYPE_REGISTRY_INSECURE_USE_HTTP for plain HTTP, `--cacert` beside the system's authorities, SSL_CERT_FILE in their place,
 * and the credential that the config.json of Docker has for this host. It is stricter than that library in one thing: plain HTTP
 * has to be allowed for this machine too.
 */
const { readFileSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { getCACertificates } = require('node:tls');

exports.fetchImage = async function fetchImage(image, { args, env, docker }) {
  const [, host, path, digest] = /^([^/]+)\/(.+)@(sha256:[0-9a-f]{64})$/.exec(image) ?? [];
  if (host === undefined) throw new Error(`could not parse reference: ${image}`);
  const system = env.SSL_CERT_FILE ? [readFileSync(env.SSL_CERT_FILE, 'utf8')] : getCACertificates('default');
  const at = args.indexOf('--cacert');
  const own = at === -1 ? env.GRYPE_REGISTRY_CA_CERT : args[at + 1];
  const ca = own === undefined ? system : [...system, readFileSync(own, 'utf8')];
  const insecure = args.includes('--insecure');
  const mayPlain = insecure || env.GRYPE_REGISTRY_INSECURE_USE_HTTP === 'true';
  const auth = docker?.auths?.[host]?.auth;
  const headers = {
    accept: 'application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json',
    ...(auth && { authorization: `Basic ${auth}` }),
  };
  const get = async (rest) => {
    try {
      return await call(https, `https://${host}/v2/${path}/${rest}`, {
        ca,
        rejectUnauthorized: !insecure,
        headers,
      });
    } catch (error) {
      if (!mayPlain || error.status !== undefined) throw error;
      return call(http, `http://${host}/v2/${path}/${rest}`, { headers });
    }
  };
  const manifest = JSON.parse(await get(`manifests/${digest}`));
  if (manifest.config !== undefined) await get(`blobs/${manifest.config.digest}`);
};

function call(by, url, options) {
  return new Promise((resolve, reject) => {
    const request = by.get(url, options, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const body = Buffer.concat(parts).toString('utf8');
        if (response.statusCode === 200) return resolve(body);
        const code = /"code":"(\w+)"/.exec(body)?.[1] ?? `unexpected status code ${response.statusCode}`;
        reject(Object.assign(new Error(`GET ${url}: ${code}`), { status: response.statusCode }));
      });
    });
    request.on('error', ({ code }) => {
      const isPlain = /WRONG_VERSION_NUMBER|PACKET_LENGTH|EPROTO/.test(code);
      const isUntrusted = /CERT|SIGNATURE|ISSUER/.test(code);
      const why = isPlain
        ? 'http: server gave HTTP response to HTTPS client'
        : isUntrusted
          ? 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
          : `dial tcp: ${code}: connection refused`;
      reject(new Error(`Get "${url}": ${why}`));
    });
  });
}
