// Styles follow the reading direction, take colours from the tokens and win by their layer.
const sides = ['left', 'right', 'top', 'bottom'];

export default {
  extends: ['stylelint-config-recommended'],
  reportNeedlessDisables: true,
  rules: {
    'color-named': 'never',
    'color-no-hex': true,
    'declaration-no-important': true,
    'length-zero-no-unit': true,
    'no-descending-specificity': null, // layers order what beats what
    'no-duplicate-selectors': null, // a sheet may say where a part stands before how it looks
    'property-no-vendor-prefix': [true, { ignoreProperties: ['-webkit-text-size-adjust', 'text-size-adjust'] }],
    'property-disallowed-list': [
      ...sides, 'width', 'height', 'min-width', 'max-width', 'min-height', 'max-height',
      ...sides.flatMap((side) => [`margin-${side}`, `padding-${side}`, new RegExp(`^border-${side}`)]),
      /^border-(top|bottom)-(left|right)-radius$/,
    ],
    'declaration-property-value-disallowed-list': { '/^(text-align|float|clear)$/': ['left', 'right'] },
  },
  overrides: [{
    files: ['../../internal/web/site/page/assets/layers/tokens.css'], // where colours get their names
    rules: { 'color-no-hex': null },
  }, {
    files: ['../../internal/web/site/marking/templates/desk.css'], // masks have no colour
    rules: { 'color-no-hex': null },
  }, {
    files: ['../../internal/web/site/page/assets/layers/print.css'], // on paper no layer may show what is hidden
    rules: { 'declaration-no-important': null },
  }],
};
