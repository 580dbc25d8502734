/** `svc node status` */
import { Option } from 'clipanion';
import type { Disk } from '../../../specs/gc.ts';
import { formatBytes } from '../../../specs/bytes.ts';
import type { NodeResource } from '../../../specs/resources.ts';
import { CliError, ExitCode } from '../../errors.ts';
import { facts } from '../../kinds/sections.ts';
import { json, yaml } from '../../output/document.ts';
import { formatOf } from '../../output/resources.ts';
import { ClientCommand } from '../command.ts';

export class NodeStatusCommand extends ClientCommand {
  static override paths = [['node', 'status']];
  static override usage = {
    category: 'Node',
    description: 'Show whether the node, its engine and its ingress are well',
    details: 'Ends with 1 when the engine is out of reach.',
    examples: [['Show it', 'svc node status']] as [string, string][],
  };

  output = Option.String('-o,--output', { description: 'table, json or yaml' });

  override async execute(): Promise<number> {
    const format = formatOf(this.output);
    const client = await this.connect();
    const node = await client.node();
    if (format === 'json') this.context.stdout.write(json(node));
    else if (format === 'yaml') this.context.stdout.write(await yaml(node));
    else for (const line of facts(factsOf(node, client.url)).lines) this.print(line);
    if (node.engine.reachable) return ExitCode.done;
    throw new CliError(ExitCode.failed, 'The engine is out of reach: nothing can be built or started.', {
      code: 'unavailable',
      next: node.engine.message ?? 'See the log of `svc serve`.',
    });
  }
}

function factsOf(node: NodeResource, url: string): Record<string, string> {
  const { engine, ingress, disks } = node;
  return {
    Node: url,
    Version: node.version,
    Engine: engine.reachable
      ? `reachable, version ${engine.version ?? 'unknown'}`
      : `out of reach: ${engine.message ?? 'no reason given'}`,
    Ingress: `${ingress.workers.length === 1 ? '1 worker, serves' : `${ingress.workers.length} workers, all of them serve`} route set ${ingress.revision}`,
    ...Object.fromEntries(
      disks.map((disk, index) => [index === 0 ? 'Disk' : `Disk ${index + 1}`, diskLine(disk)]),
    ),
    'Control domain': node.control_domain ?? 'none',
    'Apps domain': node.apps_domain ?? 'none',
    ACME: node.acme.enabled ? 'on' : 'off',
  };
}

function diskLine({ path, holds, free_bytes: free, total_bytes: total, floor_bytes: floor }: Disk): string {
  const state = `${formatBytes(total - free)} used of ${formatBytes(total)}, ${formatBytes(free)} free (${path}, ${holds.join(' and ')})`;
  return free < floor
    ? `${state}; below its floor of ${formatBytes(floor)}: pushes and deploys are refused, see svc gc`
    : state;
}
