/** Schema version 2: members, limited tokens, sealed secrets, audit, idempotency. Frozen: databases were made by it. */
import { Migration } from '@mikro-orm/migrations';

const kinds = ['registry', 'deploy_key'];

export class Access extends Migration {
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
    this.accounts();
    this.secrets();
    this.records();
    this.specs();
  }

  private accounts(): void {
    this.addSql('alter table `user` add column `version` integer not null default 1');
    this.addSql("alter table `user` add column `updated_at` text not null default ''");
    this.addSql('update `user` set `updated_at` = `created_at`');
    this.addSql('alter table `token` add column `project_id` text null');
    this.addSql('alter table `token` add column `role` text null');
    this.addSql(
      `create table \`member\` (\`project_id\` text not null, \`user_id\` text not null, \`role\` text not null,
      \`created_at\` text not null, \`updated_at\` text not null, primary key (\`project_id\`, \`user_id\`))`,
    );
    this.addSql('create index `member_user` on `member` (`user_id`)');
    this.addSql(
      `create table \`login_failure\` (\`key\` text not null primary key, \`failures\` integer not null,
      \`last_at\` text not null)`,
    );
  }

  private secrets(): void {
    this.addSql(
      `create table \`node_key\` (\`version\` integer not null primary key, \`fingerprint\` text not null,
      \`created_at\` text not null)`,
    );
    this.addSql(
      `create table \`sealed\` (\`kind\` text not null, \`owner\` text not null, \`name\` text not null,
      \`version\` integer not null, \`project\` text not null, \`key_version\` integer not null, \`box\` text not null,
      \`created_at\` text not null, primary key (\`kind\`, \`owner\`, \`name\`, \`version\`))`,
    );
    this.addSql('create index `sealed_owner` on `sealed` (`owner`)');
  }

  private records(): void {
    this.addSql(
      `create table \`audit\` (\`id\` text not null primary key, \`at\` text not null, \`token_kind\` text null,
      \`token_id\` text null, \`user_id\` text null, \`username\` text null, \`address\` text not null,
      \`method\` text not null, \`route\` text not null, \`project_id\` text null, \`object\` text null,
      \`fields\` json not null, \`status\` integer not null, \`code\` text null, \`request_id\` text not null,
      \`count\` integer not null)`,
    );
    this.addSql('create index `audit_at` on `audit` (`at`)');
    this.addSql(
      "create trigger `audit_is_append_only` before update on `audit` begin select raise(abort, 'audit entries never change'); end",
    );
    this.addSql(
      `create table \`idempotency\` (\`principal\` text not null, \`key\` text not null, \`route\` text not null,
      \`body_hash\` text not null, \`status\` integer null, \`headers\` json null, \`created_at\` text not null,
      primary key (\`principal\`, \`key\`))`,
    );
    this.addSql('create index `idempotency_created_at` on `idempotency` (`created_at`)');
  }

  private specs(): void {
    this.addSql(
      "update `service` set `spec` = json_set(`spec`, '$.secrets', json('{}'), '$.rollout.configured', null)",
    );
    this.addSql(
      "update `deployment` set `spec` = json_set(`spec`, '$.workload.secrets', json('{}'), '$.reuse', null)",
    );
    // The name that a network was made under: those of new projects have their id in it.
    this.addSql(
      `update \`project\` set \`status\` = json_set(\`status\`, '$.network_name',
      case when json_extract(\`status\`, '$.subnet') is null then null
      else 'svc-' || substr((select \`value\` from \`meta\` where \`name\` = 'node_id'), -8) || '-' || \`name\` end)`,
    );
  }
}
