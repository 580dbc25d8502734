/** Images made by hand, of one layer with one file, as registries keep them; and how one gets into a registry. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

export interface PlainImage {
  manifest: Buffer;
  /** By digest. */
  blobs: ReadonlyMap<string, Buffer>;
  /** Digest of its configuration. */
  config: string;
}

export const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
export const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * @param content of the one file in its layer: by default the time, so that nobody has pulled it before
 */
export async function makeImage({
  architecture = 'amd64',
  content = Buffer.from(process.hrtime.bigint().toString()),
} = {}): Promise<PlainImage> {
  const tar = pack();
  tar.entry({ name: 'made' }, content);
  tar.finalize();
  const layer = Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>));
  const zipped = gzipSync(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: {
        mediaType: 'application/vnd.docker.container.image.v1+json',
        size: config.length,
        digest: digestOf(config),
      },
      layers: [
        {
          mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
          size: zipped.length,
          digest: digestOf(zipped),
        },
      ],
    }),
  );
  const blobs = new Map([config, zipped].map((blob) => [digestOf(blob), blob]));
  return { manifest, blobs, config: digestOf(config) };
}

/**
 * Puts it into a registry without the help of an engine, which would have it then (OCI distribution specification, push).
 * @param server `host:port`, without TLS
 * @returns `repository@sha256:…`
 */
export async function putImage(
  server: string,
  name: string,
  { manifest, blobs }: PlainImage,
): Promise<string> {
  const put = async (url: URL, body: Buffer, type: string): Promise<void> => {
    const answer = await fetch(url, {
      method: 'PUT',
      body: new Uint8Array(body),
      headers: { 'content-type': type },
    });
    if (!answer.ok) throw new Error(`the registry answered ${answer.status}: ${await answer.text()}`);
  };
  const base = `http://${server}/v2/${name}`;
  for (const [digest, blob] of blobs) {
    const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST' });
    const url = new URL(begun.headers.get('location') ?? '', base);
    url.searchParams.set('digest', digest);
    await put(url, blob, 'application/octet-stream');
  }
  await put(new URL(`${base}/manifests/latest`), manifest, manifestType);
  return `${server}/${name}@${digestOf(manifest)}`;
}
