/** Who may import whom. One rule per arrow of the architecture; `npm run imports` fails on any other arrow. */
const only = (folder, allowed, comment) => ({
  name: `${folder.replaceAll('/', '-')}-imports`,
  comment,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: '^(api|cli|controllers|ingress|specs|test|examples)/', pathNot: [`^${folder}/`, ...allowed] },
});

const owned = (library, owners, alsoTest = true) => ({
  name: `${library.replaceAll(/\W/g, '')}-has-one-place`,
  comment: `${library} is used only in ${owners.join(', ')}.`,
  severity: 'error',
  from: { pathNot: [...owners.map((o) => `^${o}`), ...(alsoTest ? ['^test/'] : [])] },
  to: { path: `node_modules/${library}` },
});

/** Roles of files that decide and read nothing. */
const pure = [
  ...['plan', 'status', 'verdict', 'gate', 'next', 'due', 'timing', 'subnet', 'artifact', 'configuration'],
  ...['release-jobs', 'stop-first', 'pause', 'wanted', 'receipt', 'own', 'bake', 'drift', 'limits'],
].join('|');

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('specs', [], 'specs/ is the vocabulary: pure, imports nothing of the project.'),
    only('ingress', ['^specs/'], 'The data plane knows no store and no engine.'),
    only('api', ['^specs/'], 'The API writes desired state; it knows no controller.'),
    only(
      'controllers',
      ['^specs/', '^api/store/', '^ingress/index\\.ts$'],
      'Effects live here; rows come from the store.',
    ),
    {
      ...only('cli', ['^specs/'], 'The client speaks HTTP; only daemon.ts composes the node.'),
      from: { path: '^cli/', pathNot: '^cli/(daemon(\\.ts|/)|quickstart/clean\\.ts)' },
    },
    {
      name: 'kinds-are-islands',
      comment: 'Kind folders never import each other: they meet in the store.',
      severity: 'error',
      from: {
        path: '^controllers/(project|service|deployment|replica|upload|volume|job|run|domain|certificate-set|certificate|order|challenge|route-set|gc)/',
      },
      to: {
        path: '^controllers/(project|service|deployment|replica|upload|volume|job|run|domain|certificate-set|certificate|order|challenge|route-set|gc)/',
        pathNot: '^controllers/$1/',
      },
    },
    {
      name: 'store-knows-no-routes',
      severity: 'error',
      from: { path: '^api/store/' },
      to: { path: '^api/', pathNot: '^api/store/' },
    },
    {
      name: 'pure-files',
      comment: 'plan.ts and status.ts decide; they read nothing.',
      severity: 'error',
      from: {
        path: `^controllers/[^/]+/(${pure})\\.ts$`,
      },
      to: {
        pathNot: [
          '^specs/',
          `^controllers/[^/]+/(steps|observe|${pure})\\.ts$`,
          '^controllers/engine/names\\.ts$',
          '^ingress/index\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nobody-imports-tests',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^(test|examples)/' },
    },
    owned('dockerode', ['controllers/engine/']),
    owned('croner', ['specs/']),
    owned('@mikro-orm', ['api/store/']),
    owned('better-sqlite3', ['api/store/']),
    owned('fastify', ['api/']),
    owned('p-queue', ['controllers/runtime/']),
    owned('chokidar', ['controllers/gitops/']),
    owned('acme-client', ['controllers/acme/']),
    owned('simple-git', ['controllers/git/']),
    owned('clipanion', ['cli/']),
    owned('prom-client', ['controllers/runtime/']),
    owned('argon2', ['api/auth/']),
    owned('sshpk', ['api/ssh-key/']),
    owned('ws', ['api/console/', 'cli/client/']),
    owned('tar-stream', ['cli/pack/', 'controllers/build/']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
