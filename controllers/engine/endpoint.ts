/** Where an engine may listen. Pure. */
import { EngineError } from './engine.ts';

export type Endpoint = { kind: 'unix'; path: string } | { kind: 'tcp'; host: string; port: number };

/** As `SERVICE_ENGINE` and `$DOCKER_HOST` write it. @throws EngineError `refused` when it is not an endpoint */
export function parseEndpoint(text: string): Endpoint {
  if (text.startsWith('unix://')) {
    const path = text.slice('unix://'.length);
    // 107 bytes: sun_path of unix(7) without its NUL.
    if (!path.startsWith('/') || Buffer.byteLength(path) > 107)
      throw invalid(text, 'the path of the socket must be absolute and have at most 107 bytes');
    return { kind: 'unix', path };
  }
  // As http:, for which URLs know hosts and ports.
  const url = text.startsWith('tcp://') ? URL.parse(text.replace('tcp:', 'http:')) : null;
  if (url) {
    const { hostname, port, pathname, username } = url;
    if (hostname === '' || !['', '/'].includes(pathname) || username !== '')
      throw invalid(text, 'it must be tcp://host:port');
    return { kind: 'tcp', host: hostname, port: Number(port || '2375') };
  }
  throw invalid(text, 'it must be unix:///path, tcp://host:port or managed');
}

/** Endpoints to try, in order, when none is configured. Invalid and unsupported (`ssh://`) ones of `$DOCKER_HOST` are left out. */
export function candidates(env: Readonly<Record<string, string | undefined>>): string[] {
  const runtimeDir = env['XDG_RUNTIME_DIR'];
  const dockerHost = env['DOCKER_HOST'];
  return [
    ...(dockerHost?.match(/^(unix|tcp):\/\//) ? [dockerHost] : []),
    'unix:///var/run/docker.sock',
    'unix:///run/podman/podman.sock',
    ...(runtimeDir ? [`unix://${runtimeDir}/podman/podman.sock`] : []),
  ];
}

function invalid(text: string, why: string): EngineError {
  return new EngineError('refused', `"${text}" is no engine endpoint: ${why}`);
}
