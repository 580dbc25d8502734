/** `svc push` */
import { resolve } from 'node:path';
import { Option } from 'clipanion';
import { ExitCode, usageError } from '../errors.ts';
import { readManifest, type Manifest } from '../manifest.ts';
import { paletteFor } from '../output/colour.ts';
import { createMissing } from '../push/create-missing.ts';
import { sourceOf } from '../push/source.ts';
import { seeThrough } from '../rollout/see-through.ts';
import { findService, type Target } from '../target.ts';
import { ClientCommand } from './command.ts';

export class PushCommand extends ClientCommand {
  static override paths = [['push']];
  static override usage = {
    category: 'Deploy',
    description: 'Deploy the working tree, a Git repository or an image to a service',
    details: `
      Project and service, and where Dockerfile and context are, come from the file \`.svc\` (TOML) at the root of the
      tree; flags override it. The tree is packed as Git and Docker see it: tracked and untracked files without what
      \`.gitignore\` and \`.dockerignore\` leave out; the Dockerfile always goes along.

      Then it prints the log until the deployment is healthy or has failed (exit code 1). Ctrl-C leaves it to the node.

      With \`--git\` the node clones the repository itself, at a branch, a tag or a commit, and nothing of the working tree is
      read but \`.svc\`. Private repositories are cloned over SSH with the deploy key of the project
      (\`svc projects deploy-key\`).

      With \`--image\` the node pulls an image that is there already, and nothing is built. A tag is resolved once: the
      deployment stays what the tag was then. Private registries are asked with the credentials of the project
      (\`svc registries add\`). An image that was made on the machine of the node, and is in no registry, is taken as it is.

      \`--create\` makes the service first, from the block \`[create]\` of \`.svc\` (\`port\`, \`health_path\`). That needs a
      node with a control domain.
    `,
    examples: [
      ['Deploy the tree that .svc describes', 'svc push'],
      ['Deploy another directory to another service', 'svc push --path ./site --project shop --service site'],
      [
        'Deploy a Git repository at a tag',
        'svc push --git git@git.example.com:team/site.git --ref v1.2 -p shop -s site',
      ],
      ['Deploy an image', 'svc push --image ghcr.io/shop/web:1.4 -p shop -s web'],
      ['Start a deployment from a script and keep its id', 'id=$(svc push --no-follow)'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'project of the service' });
  service = Option.String('-s,--service', { description: 'service to deploy to' });
  dockerfile = Option.String('--dockerfile', {
    description: 'path of the Dockerfile in the tree (default: Dockerfile)',
  });
  buildContext = Option.String('--context', {
    description: 'directory in the tree that the build sees (default: .)',
  });
  root = Option.String('--path', { description: 'root of the tree (default: the working directory)' });
  repository = Option.String('--git', { description: 'address of a Git repository that the node clones' });
  ref = Option.String('--ref', {
    description: "with --git: a branch, a tag or a commit (default: the repository's default branch)",
  });
  image = Option.String('--image', { description: 'reference of an image that the node pulls' });
  noFollow = Option.Boolean('--no-follow', false, {
    description: 'do not wait: print the id of the deployment and leave',
  });
  create = Option.Boolean('--create', false, { description: 'make the service first if it is not there' });

  override async execute(): Promise<number> {
    const since = this.context.clock.now();
    const root = resolve(this.context.cwd, this.root ?? '.');
    const manifest = await readManifest(root);
    const target = this.target(manifest, root);
    const source = await sourceOf(this.context, this, manifest, root);
    const client = await this.connect();
    const service = this.create
      ? await createMissing(this.context, client, target, manifest.create)
      : await findService(client, target.service, target.project);

    const deployment = await client.createDeployment(await source(client, service));
    const { dim } = paletteFor(this.context.stderr, this.context.env);
    this.note(`Deployment ${deployment.number} of ${service.project}/${service.name} ${dim(deployment.id)}`);
    if (this.noFollow) {
      this.print(deployment.id);
      this.note(`Follow it with: svc logs --deployment ${deployment.id} -f`);
      return ExitCode.done;
    }
    return seeThrough(this.context, client, { deployment, service, since });
  }

  private target({ project, service }: Manifest, root: string): Target {
    const target = { project: this.project ?? project, service: this.service ?? service };
    const missing = (['project', 'service'] as const).find((key) => target[key] === undefined);
    if (target.project !== undefined && target.service !== undefined)
      return { project: target.project, service: target.service };
    throw usageError(
      `Which ${missing ?? 'service'} is ${root} pushed to?`,
      `Write ${missing ?? 'service'} = "…" into ${root}/.svc, or give --${missing ?? 'service'}.`,
    );
  }
}
