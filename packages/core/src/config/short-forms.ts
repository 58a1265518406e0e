/** Sections that may be written as one value, and the mapping that it stands for. */
export const shortForms: Readonly<Record<string, (value: unknown) => unknown>> = {
  model: (value) => (typeof value === 'string' ? { default: value } : value),
  checkpoints: (value) => (typeof value === 'boolean' ? { enabled: value } : value),
}
