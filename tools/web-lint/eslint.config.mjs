// Scripts of the pages are modules that a browser runs as they are: no name may be used that is
// not declared or the browser's, nothing may stay unused, and none may run text as a program.
import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['**/htmx.min.js', '**/pdfjs/**'] }, // of others, unchanged
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-alert': 'error', // a dialog of the page asks
      'no-console': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'no-restricted-syntax': ['error',
        { selector: 'AssignmentExpression[left.property.name=/^(inner|outer)HTML$/]',
          message: 'What people wrote would be read as markup: use textContent or append.' },
        { selector: 'CallExpression[callee.property.name=/^(insertAdjacentHTML|writeln?)$/]', message: 'Use append.' },
        { selector: 'CallExpression[callee.property.name="setAttribute"][arguments.0.value="style"]',
          message: 'The policy forbids style attributes: set a class.' }],
    },
  },
];
