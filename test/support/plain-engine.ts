/** A dockerd as a distribution starts it, with its own bridge and firewall rules: the neighbour of a private engine. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { findDockerd } from '../../controllers/engine/managed/daemon.ts';
import { ensureBaseImage } from './engine.ts';
import { eventually } from './eventually.ts';

export class PlainEngine {
  readonly docker: Docker;
  readonly endpoint: string;
  private readonly directory: string;
  private process: ChildProcess | undefined;

  /** @param directory of its own */
  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'daemon.json'), '{}');
    this.endpoint = `unix://${join(directory, 's')}`;
    this.docker = new Docker({ socketPath: join(directory, 's'), host: undefined });
  }

  async start(): Promise<void> {
    const at = (name: string) => join(this.directory, name);
    this.process = spawn(
      (await findDockerd()) ?? 'dockerd is not installed',
      [
        `--host=${this.endpoint}`,
        `--data-root=${at('root')}`,
        `--exec-root=${at('exec')}`,
        `--pidfile=${at('pid')}`,
        `--config-file=${at('daemon.json')}`,
        '--userland-proxy=false',
      ],
      { stdio: 'ignore' },
    );
    await eventually(() => this.docker.ping().then(Boolean, () => false));
    await ensureBaseImage(this.endpoint);
  }

  /** A web server that the host publishes on a port. */
  async publish(port: number): Promise<void> {
    const container = await this.docker.createContainer({
      Image: 'busybox',
      Cmd: ['sh', '-c', 'mkdir -p /www && echo neighbour > /www/index.html && exec httpd -f -p 80 -h /www'],
      ExposedPorts: { '80/tcp': {} },
      HostConfig: {
        PortBindings: { '80/tcp': [{ HostPort: String(port) }] },
        RestartPolicy: { Name: 'always' },
        Init: true,
      },
    });
    await container.start();
  }

  /** Address of the web server in the engine's own network, once it runs. */
  async address(): Promise<string> {
    let address = '';
    await eventually(async () => {
      const [running] = await this.docker.listContainers();
      address = running?.NetworkSettings.Networks['bridge']?.IPAddress ?? '';
      return address !== '';
    });
    return address;
  }

  /** Runs a script in a container. @returns what it printed */
  async run(script: string): Promise<string> {
    const container = await this.docker.createContainer({
      Image: 'busybox',
      Cmd: ['sh', '-c', script],
      Tty: true,
    });
    await container.start();
    await container.wait();
    const output = await container.logs({ stdout: true });
    await container.remove();
    return output.toString().trim();
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process?.once('exit', resolve));
    if (this.process?.kill('SIGTERM')) await ended;
  }
}
