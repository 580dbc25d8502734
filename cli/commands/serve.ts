/** `svc serve` */
import { setFlagsFromString } from 'node:v8';
import { CliError, ExitCode } from '../errors.ts';
import { SvcCommand } from './command.ts';
import { declareSettingFlags, settingFlags } from './settings-flags.ts';

export class ServeCommand extends SvcCommand {
  static override paths = [['serve']];
  static override usage = {
    category: 'Node',
    description: 'Run the node: API, controllers and ingress',
    details: `
      Stays in the foreground until SIGTERM or Ctrl-C. Every setting is an environment variable too; a flag wins. The
      ingress serves on while this process is restarted.
    `,
    examples: [
      ['Run a node on a laptop', 'svc serve --apps-domain localhost --http-listen :8080'],
      [
        'Run one with its API on a domain of its own',
        'svc serve --control-domain control.example.com --apps-domain example.com',
      ],
    ] as [string, string][],
  };

  constructor() {
    super();
    declareSettingFlags(this);
  }

  override async execute(): Promise<void> {
    const { readSettings, SettingsError } = await import('../daemon/settings.ts');
    const explained = (error: unknown): never => {
      if (!(error instanceof SettingsError)) throw error;
      throw new CliError(ExitCode.usage, error.message, { next: 'See: svc serve --help', cause: error });
    };
    let settings;
    try {
      settings = readSettings(this.context.env, settingFlags(this));
    } catch (error) {
      return explained(error);
    }
    // Before anything of the node is loaded. A young generation that grows lets V8 keep the buffers of an upload that
    // passes through until it is collected: some 90 MiB. One that stays small costs no time that could be measured.
    setFlagsFromString('--semi-space-growth-factor=1');
    const { serve } = await import('../daemon.ts');
    // Some of them can be checked only against the engine.
    await serve(settings).catch(explained);
  }
}
