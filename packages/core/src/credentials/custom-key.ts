/** The key of a custom endpoint in the pool: `My Box` is `custom:my-box`. */
export function customKey(name: string): string {
  return `custom:${name.trim().toLowerCase().replaceAll(' ', '-')}`
}
