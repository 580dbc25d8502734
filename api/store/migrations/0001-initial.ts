/** Schema version 1. Frozen: databases were made by it. */
import { Migration } from '@mikro-orm/migrations';

const kinds = ['project', 'service', 'deployment', 'replica', 'upload'];

export class Initial extends Migration {
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
    this.addSql(
      `create table \`user\` (\`id\` text not null primary key, \`username\` text not null,
      \`password_hash\` text not null, \`super_admin\` integer not null, \`created_at\` text not null)`,
    );
    this.addSql('create unique index `user_username` on `user` (`username`)');
    this.addSql(
      `create table \`token\` (\`id\` text not null primary key, \`kind\` text not null, \`user_id\` text not null,
      \`name\` text not null, \`hash\` text not null, \`created_at\` text not null, \`expires_at\` text null,
      \`last_used_at\` text null)`,
    );
    this.addSql('create index `token_user` on `token` (`user_id`)');
    this.addSql('create unique index `token_hash` on `token` (`hash`)');
    this.addSql('create table `meta` (`name` text not null primary key, `value` text not null)');
  }
}
