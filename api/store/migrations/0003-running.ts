/** Schema version 3: domains and certificates, Git hosts, volumes, jobs. Frozen: databases were made by it. */
import { Migration } from '@mikro-orm/migrations';

const kinds = ['known_host', 'domain', 'certificate', 'acme_order', 'acme_challenge', 'volume', 'job', 'run'];

export class Running extends Migration {
  override up(): void {
    for (const kind of kinds) {
      this.addSql(
        `create table \`${kind}\` (\`id\` text not null primary key, \`name\` text not null, \`owner\` text not null,
        \`generation\` integer not null, \`observed_generation\` integer not null, \`version\` integer not null,
        \`created_at\` text not null, \`updated_at\` text not null, \`deleted_at\` text null,
        \`spec\` json not null, \`status\` json not null)`,
      );
      this.addSql(`create index \`${kind}_owner\` on \`${kind}\` (\`owner\`, \`id\`)`);
      this.addSql(
        `create unique index \`${kind}_living_name\` on \`${kind}\` (\`owner\`, \`name\`) where \`deleted_at\` is null`,
      );
    }
    this.addSql('create index `domain_name` on `domain` (`name`)');
    this.addSql('alter table `audit` add column `detail` text null');
    this.addSql('alter table `audit` add column `object_name` text null');
    this.addSql(
      `create table \`event\` (\`id\` text not null primary key, \`at\` text not null, \`last_at\` text not null,
      \`count\` integer not null, \`project_id\` text not null, \`kind\` text not null, \`object\` text not null,
      \`service_id\` text null, \`name\` text not null, \`type\` text not null, \`reason\` text not null,
      \`message\` text not null)`,
    );
    this.addSql('create index `event_object` on `event` (`object`, `id`)');
    this.addSql('create index `event_service_id` on `event` (`service_id`, `id`)');
    this.addSql('create index `event_project_id` on `event` (`project_id`, `id`)');
    // Nobody asked that what is there be taken back by itself.
    this.addSql(
      `update \`service\` set \`spec\` = json_set(\`spec\`, '$.release.strategy', 'rolling', '$.release.surge', 4,
      '$.release.auto_rollback', json('false'), '$.release.bake', '60s'),
      \`status\` = json_set(\`status\`, '$.parked_since', null, '$.bake', null)`,
    );
    this.addSql(
      "update `deployment` set `status` = json_set(`status`, '$.commit', null, '$.digest', null, '$.receipt', null, '$.takeover', null)",
    );
  }
}
