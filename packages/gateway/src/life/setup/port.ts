/** What is wrong with the number of a port, if anything. */
export function port(value: string): string | undefined {
  return /^\d+$/.test(value) && Number(value) <= 65_535 ? undefined : 'it is a number from 0 to 65535'
}
