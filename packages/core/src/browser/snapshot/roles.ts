/** Roles of elements that somebody can do something with. */
export const interactiveRoles: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'ColorWell',
  'combobox',
  'Date',
  'DateTime',
  'DisclosureTriangle',
  'gridcell',
  'InputTime',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'scrollbar',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
])

/** Roles that a short snapshot names too, since they say where one is or what has happened. */
export const tellingRoles: ReadonlySet<string> = new Set([
  'alert',
  'alertdialog',
  'dialog',
  'form',
  'heading',
  'main',
  'navigation',
  'search',
  'status',
])

/** Roles that say nothing by themselves: what is in them is shown in their place. */
export const silentRoles: ReadonlySet<string> = new Set([
  '',
  'generic',
  'GenericContainer',
  'InlineTextBox',
  'LayoutTable',
  'LayoutTableCell',
  'LayoutTableRow',
  'LineBreak',
  'none',
  'presentation',
  'RootWebArea',
  'rowgroup',
  'Section',
  'strong',
  'emphasis',
  'LabelText',
  'Legend',
])

/** What is shown for roles of Chromium's own. */
export const shownRoles: Readonly<Record<string, string>> = {
  ColorWell: 'color',
  Date: 'date',
  DateTime: 'datetime',
  DisclosureTriangle: 'disclosure',
  Iframe: 'iframe',
  InputTime: 'time',
  StaticText: 'text',
}
