// editing tells whether keys that are pressed belong to what has the focus: single keys work
// elsewhere.
const fields = 'textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit]), audio, video, ' +
  '[contenteditable]';

export const editing = (e) => e instanceof Element && e.matches(fields);
