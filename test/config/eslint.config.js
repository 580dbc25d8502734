/** Lint rules. The promise rules need types; plan.ts and status.ts are pure and this is where that is enforced. */
import tseslint from 'typescript-eslint';

const impure = [
  { selector: 'AwaitExpression', message: 'plan.ts and status.ts are pure: no await.' },
  { selector: 'FunctionDeclaration[async=true]', message: 'plan.ts and status.ts are pure: no async.' },
  { selector: 'ArrowFunctionExpression[async=true]', message: 'plan.ts and status.ts are pure: no async.' },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'plan.ts and status.ts are pure: take `now` as an argument.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'plan.ts and status.ts are pure: take `now` as an argument.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'plan.ts and status.ts are pure: take randomness as an argument.',
  },
  { selector: 'ImportDeclaration[source.value=/^node:/]', message: 'plan.ts and status.ts do no I/O.' },
];

export default tseslint.config(
  { ignores: ['**/node_modules/**', 'dist/**', 'test/config/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: 'tsconfig.json', tsconfigRootDir: `${import.meta.dirname}/../..` },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 14],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['controllers/*/{plan,status,verdict,gate,address,subnet,artifact,configuration}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...impure] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // node:test's describe and it return promises that the runner awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['describe', 'it', 'test', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
      'max-lines-per-function': 'off',
      // Parts of the world under test are closures behind interfaces; taking one of their methods apart is safe.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
